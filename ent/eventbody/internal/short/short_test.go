package short

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	const id, at = "_01m86q7wjmfgv9zm8cqjwj5w3e", "2026-11-24T12:07:12.212763Z"
	for text, size := range map[string]int{
		"":                            0,
		"evt" + id:                    3 + idSize,
		id + id + "_" + id:            3*idSize + 1,
		"__" + id[1:]:                 1 + idSize,
		`{"a":"` + at + `"}`:          8 + timeSize,
		at + at + at:                  3 * timeSize,
		at + id + at + id:             2*timeSize + 2*idSize,
		"2" + at + "Z":                2 + timeSize,
		id[:26]:                       26,
		"_81" + id[3:]:                27, // more than 128 bits
		strings.ToUpper(id):           27,
		"_" + at:                      1 + timeSize,
		at[:26]:                       26,
		at[1:]:                        26,
		"2026-11-24T12:07:12Z":        20,
		"2026-02-30T12:07:12.212763Z": 27, // no such day
		"2026-11-24t12:07:12.212763Z": 27,
		"2026-11-24T24:00:00.000000Z": 27,
		"2026-1a-24T12:07:12.212763Z": 27,
		"1969-12-31T23:59:59.999999Z": 27,
		"9999-12-31T23:59:59.999999Z": 27, // more than 7 bytes
		"1970-01-01T00:00:00.000000Z": timeSize,
	} {
		short, ok := Append([]byte("before"), []byte(text))
		if !ok || len(short) != len("before")+size {
			t.Errorf("%q: %d bytes, want %d (%v)", text, len(short)-len("before"), size, ok)
			continue
		}
		again, err := Restore([]byte("before"), short[len("before"):], len(text))
		if err != nil || string(again) != "before"+text {
			t.Errorf("%q became %q, %v", text, again, err)
		}
	}
	for _, text := range []string{"\x01", "{\x02}", id + "\x01" + at} {
		if short, ok := Append(nil, []byte(text)); ok {
			t.Errorf("%q became %q, which is ambiguous", text, short)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		short string
		size  int
	}{
		"longer than the size":  {"abc", 2},
		"shorter than the size": {"abc", 4},
		"id is cut":             {"\x01" + strings.Repeat("a", 15), 27},
		"no room for the id":    {"\x01" + strings.Repeat("a", 16), 26},
		"time is cut":           {"\x02" + strings.Repeat("a", 6), 27},
		"no room for the time":  {"\x02" + strings.Repeat("a", 7), 26},
		"longer behind an id":   {"\x01" + strings.Repeat("a", 16) + "b", 27},
	} {
		if text, err := Restore(nil, []byte(tc.short), tc.size); !errors.Is(err, ErrCorrupt) || text != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func FuzzAppend(f *testing.F) {
	f.Add([]byte("evt_01m86q7wjmfgv9zm8cqjwj5w3e 2026-11-24T12:07:12.212763Z"), 100)
	f.Add([]byte("\x01aaaaaaaaaaaaaaaa\x02aaaaaaa"), 54)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		if short, ok := Append(nil, b); ok {
			if again, err := Restore(nil, short, len(b)); err != nil || !bytes.Equal(again, b) {
				t.Errorf("%q became %q, %v", b, again, err)
			}
		}
		if size < 0 {
			return
		}
		if text, err := Restore(nil, b, size); err == nil && len(text) != size {
			t.Errorf("%q became %q, want %d bytes", b, text, size)
		}
	})
}
