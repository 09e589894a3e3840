package xid_test

import (
	"math/rand/v2"
	"testing"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

func TestTimeRoundTrip(t *testing.T) {
	const ms = 1_772_000_000_123 * 1000
	for us := range micros.Time(1000) {
		if got := xid.At(ms + us).Time(); got != ms+us {
			t.Errorf("At(…%03d).Time() = %d", us, got)
		}
	}
	for _, want := range times() {
		if got := xid.At(want).Time(); got != want {
			t.Errorf("At(%d).Time() = %d", want, got)
		}
	}
}

func TestTimeBeforeEpoch(t *testing.T) {
	if got := xid.At(-1).Time(); got != 0 {
		t.Errorf("At(-1).Time() = %d, want 0", got)
	}
}

func TestNewIDIsUUIDv7(t *testing.T) {
	seen := map[xid.ID]bool{}
	at := micros.Now()
	for range 1000 {
		u := xid.At(at)
		if u[6]>>4 != 7 || u[8]>>6 != 2 {
			t.Fatalf("%x: version %d, variant %d", u[:], u[6]>>4, u[8]>>6)
		}
		if seen[u] {
			t.Fatalf("%s generated twice", u)
		}
		seen[u] = true
	}
}

func TestNewIsNow(t *testing.T) {
	before := micros.Now()
	got := xid.New().Time()
	if after := micros.Now(); got < before || got > after {
		t.Errorf("New().Time() = %d, want %d to %d", got, before, after)
	}
}

// Ids sort by time, whatever their random bits are.
func TestOrderIsTimeOrder(t *testing.T) {
	for _, at := range times() {
		if at == lastTime {
			continue
		}
		if a, b := xid.At(at), xid.At(at+1); a.Compare(b) >= 0 {
			t.Errorf("the id of %d is not below that of the next microsecond", at)
		}
	}
	ts := times()
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		x, y := ts[r.IntN(len(ts))], ts[r.IntN(len(ts))]
		if c := xid.At(x).Compare(xid.At(y)); x < y && c >= 0 || x > y && c <= 0 {
			t.Errorf("ids of %d and %d compare as %d", x, y, c)
		}
	}
}

// First separates ids exactly at its time: ids from then on are not below it, earlier ids are.
func TestFirstIsABound(t *testing.T) {
	for _, at := range times() {
		first := xid.First(at)
		if got := first.Time(); got != at {
			t.Errorf("First(%d).Time() = %d", at, got)
		}
		if xid.At(at).Compare(first) < 0 {
			t.Errorf("an id of %d is below First", at)
		}
		if at > 0 && xid.At(at-1).Compare(first) >= 0 {
			t.Errorf("an id of %d is not below First(%d)", at-1, at)
		}
	}
}

// It also separates ids of other generators, whose twelve bits may have any value: a row is in a
// range exactly if its time is.
func TestFirstBoundsEveryUUIDv7(t *testing.T) {
	const ms = 1_772_000_000_123
	for randA := range 4096 {
		u := xid.First(ms * 1000)
		u[6], u[7] = 0x70|byte(randA>>8), byte(randA)
		u[15] = byte(randA)
		at := u.Time()
		if at < ms*1000 || at > ms*1000+999 {
			t.Fatalf("rand_a %d: time %d leaves its millisecond", randA, at)
		}
		if u.Compare(xid.First(at)) < 0 || u.Compare(xid.First(at+1)) >= 0 {
			t.Errorf("rand_a %d: time %d, yet outside its bounds", randA, at)
		}
	}
}
