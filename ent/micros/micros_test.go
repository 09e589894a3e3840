package micros_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
)

var last = micros.Of(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC))

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		text, want string
	}{
		{"1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
		{"2026-04-01T12:00:00Z", "2026-04-01T12:00:00.000000Z"},
		{"2026-04-01T12:00:00.5Z", "2026-04-01T12:00:00.500000Z"},
		{"2026-04-01T12:00:00.123456Z", "2026-04-01T12:00:00.123456Z"},
		{"2026-04-01T12:00:00.1234569Z", "2026-04-01T12:00:00.123456Z"},
		{"2026-04-01T12:00:00.999999999Z", "2026-04-01T12:00:00.999999Z"},
		{"2026-04-01T01:30:00+05:30", "2026-03-31T20:00:00.000000Z"},
		{"2026-04-01T12:00:00-08:00", "2026-04-01T20:00:00.000000Z"},
		{"2026-04-01T12:00:00-00:00", "2026-04-01T12:00:00.000000Z"},
		{"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"},
		{"1969-12-31T23:00:00-01:00", "1970-01-01T00:00:00.000000Z"},
		{"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
		{"2026-04-01t12:00:00.5z", "2026-04-01T12:00:00.500000Z"},
		{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z"},
		{"1990-12-31T15:59:60.25-08:00", "1991-01-01T00:00:00.250000Z"},
	} {
		got, err := micros.Parse(tc.text)
		if err != nil || got.String() != tc.want {
			t.Errorf("Parse(%q) = %s, %v, want %s", tc.text, got, err, tc.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", "now", "2026-04-01", "2026-04-01T12:00:00", "2026-04-01 12:00:00Z", "1775001600",
		"2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-04-01T24:00:00Z",
		"2026-04-01T12:60:00Z", "2026-04-01T1:00:00Z", "2026-4-1T12:00:00Z", "2026-04-01T12:00Z", "26-04-01T12:00:00Z",
		"2026-04-01T12:00:00,5Z", "2026-04-01T12:00:00.Z",
		"2026-04-01T12:00:00+0530", "2026-04-01T12:00:00+05", "2026-04-01T12:00:00+24:00", "2026-04-01T12:00:00+05:60",
		"1969-12-31T23:59:59.9999999Z", "1970-01-01T00:00:00+00:01", "9999-12-31T23:59:59-01:00",
		"0001-01-01T00:00:00Z", "2026-04-01T12:00:61Z", "2026-04-01T12:00:60Z", "2026-12-31T23:59:60+01:00",
		"2026-12-30T23:59:60Z", " 2026-04-01T12:00:00Z", "2026-04-01T12:00:00Z ", "2026-04-01T12:00:00Z\n",
		"10000-01-01T00:00:00Z",
	} {
		if got, err := micros.Parse(text); err == nil || got != 0 {
			t.Errorf("Parse(%q) = %s, %v, want refused", text, got, err)
		}
	}
}

// A bound outside the supported years is the nearest supported time.
func TestParseBound(t *testing.T) {
	for text, want := range map[string]micros.Time{
		"0001-01-01T00:00:00Z": 0, "1969-12-31T23:59:59.9999999Z": 0, "1970-01-01T00:00:00.000001Z": 1,
		"9999-12-31T23:59:59-01:00": last,
	} {
		if got, err := micros.ParseBound(text); err != nil || got != want {
			t.Errorf("ParseBound(%q) = %s, %v, want %s", text, got, err, want)
		}
		if _, err := micros.Parse(text); want != 1 && !errors.Is(err, micros.ErrRange) {
			t.Errorf("Parse(%q): %v, want %v", text, err, micros.ErrRange)
		}
	}
	for _, text := range []string{"", "0001-01-01", "10000-01-01T00:00:00Z"} {
		if got, err := micros.ParseBound(text); err == nil || errors.Is(err, micros.ErrRange) {
			t.Errorf("ParseBound(%q) = %s, %v, want refused", text, got, err)
		}
	}
}

// Texts sort by time, and parsing a text returns the time.
func TestTextRoundTripAndOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	before := micros.Time(0)
	for range 2000 {
		at := micros.Time(r.Int64N(int64(last) + 1))
		text := at.String()
		if back, err := micros.Parse(text); err != nil || back != at ||
			len(text) != len("2006-01-02T15:04:05.000000Z") {
			t.Errorf("Parse(%q) = %d, %v, want %d", text, back, err, at)
		}
		if (at < before) != (text < before.String()) {
			t.Errorf("%s and %s sort unlike their times", text, before)
		}
		before = at
	}
}

func TestStandardForm(t *testing.T) {
	zone := time.FixedZone("", 3600)
	at := time.Date(2026, 4, 1, 1, 0, 0, 123_456_789, zone)
	got := micros.Of(at)
	if want := at.Truncate(time.Microsecond); !got.Time().Equal(want) || got.Time().Location() != time.UTC {
		t.Errorf("Of(%s).Time() = %s, want %s in UTC", at, got.Time(), want)
	}
	if micros.Of(got.Time()) != got {
		t.Error("a time changes on its way through the standard form")
	}
	if now := micros.Now(); micros.Of(time.Now())-now > 60_000_000 || now.Time().Year() < 2024 {
		t.Errorf("Now() = %s", now)
	}
}

func TestArithmetic(t *testing.T) {
	at := micros.Time(1_772_000_000_000_000)
	if got := at.Add(90 * time.Second); got != at+90_000_000 || got.Sub(at) != 90*time.Second ||
		at.Sub(got) != -90*time.Second {
		t.Errorf("Add(90s) = %d, back %s", got, got.Sub(at))
	}
	if got := at.Add(1999 * time.Nanosecond); got != at+1 {
		t.Errorf("Add(1999ns) = %d, want %d", got, at+1)
	}
}

func TestJSON(t *testing.T) {
	b, err := json.Marshal(map[string]micros.Time{"at": 1})
	if err != nil || string(b) != `{"at":"1970-01-01T00:00:00.000001Z"}` {
		t.Errorf("%s, %v", b, err)
	}
	if got := string(micros.Time(0).Append([]byte("at="))); got != "at=1970-01-01T00:00:00.000000Z" {
		t.Errorf("Append = %q", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"2026-04-01T12:00:00Z", "2026-04-01T12:00:00.5+05:30", "2026-04-01T1:00:00,5Z", "2016-12-31t23:59:60z", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := micros.Parse(text)
		if err != nil {
			return
		}
		if at < 0 || at > last {
			t.Fatalf("Parse(%q) = %d", text, at)
		}
		if back, err := micros.Parse(at.String()); err != nil || back != at {
			t.Fatalf("Parse(%q) = %s, read again %s, %v", text, at, back, err)
		}
		// RFC 3339, section 5.6, has fixed widths and a decimal point.
		if len(text) < 20 || text[4] != '-' || text[13] != ':' || text[16] != ':' || strings.Contains(text, ",") {
			t.Fatalf("Parse(%q) accepted", text)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	at := micros.Now()
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		at.Append(buf)
	}
}
