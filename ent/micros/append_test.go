package micros

import (
	"bytes"
	"testing"
	"time"
)

// TestAppendEveryDay compares the handwritten formatting with the standard library's, on each day
// from 1970 to 9999 and at its boundaries.
func TestAppendEveryDay(t *testing.T) {
	var got, want []byte
	check := func(m Time) {
		got, want = m.Append(got[:0]), m.Time().AppendFormat(want[:0], layout)
		if !bytes.Equal(got, want) {
			t.Fatalf("%d: got %s, want %s", int64(m), got, want)
		}
	}
	const day = Time(86400e6)
	for m := Time(45296789012); m < year10000; m += day { // 12:34:56.789012
		check(m)
	}
	for _, m := range []Time{-1, -day, 0, day - 1, day, year10000 - 1, year10000, year10000 + day} {
		check(m)
	}
	if want := Of(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)); year10000 != want {
		t.Errorf("year10000 is %d, want %d", year10000, want)
	}
}

// BenchmarkAppendFormat is the baseline for the handwritten formatting.
func BenchmarkAppendFormat(b *testing.B) {
	m, buf := Now(), make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		m.Time().AppendFormat(buf, layout)
	}
}
