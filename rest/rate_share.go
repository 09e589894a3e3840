package rest

import (
	"encoding/binary"
	"errors"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// Rates counts the requests of credentials and of stores together with the other
// processes of a fleet. Make one with new and hand it to [New].
type Rates struct{ limiters *limiters }

// mostTold bounds what a process tells of credentials, and of stores. No process lets
// through a quarter of so many rates.
const mostTold = 1000

// Forms of what processes tell each other.
const (
	toldForm       = 1
	toldCredential = 'c'
	toldStore      = 's'
)

// Tell returns what the other servers, of which there are so many with this one, are to
// know; nil where no credential and no store uses much of its rate.
func (r *Rates) Tell(servers int64) []byte {
	if r.limiters == nil {
		return nil
	}
	credentials, stores := r.limiters.credentials, r.limiters.stores
	credentials.Servers(servers)
	stores.Servers(servers)
	var told []byte
	for _, u := range credentials.Tell(mostTold) {
		told = append(append(append(told, toldCredential), u.Key.store[:]...), u.Key.principal[:]...)
		told = appendUse(told, u)
	}
	for _, u := range stores.Tell(mostTold) {
		told = appendUse(append(append(told, toldStore), u.Key[:]...), u)
	}
	if told == nil {
		return nil
	}
	return append([]byte{toldForm}, told...)
}

func appendUse[K comparable](told []byte, u ratelimit.Use[K]) []byte {
	for _, n := range []int64{u.Since, u.Taken, u.Asked, u.Short} {
		told = binary.AppendVarint(told, n)
	}
	if u.Busy {
		return append(told, 1)
	}
	return append(told, 0)
}

// Hear takes what the other processes told last. What cannot be read, as that of a newer
// version, counts for nothing.
func (r *Rates) Hear(told []apikey.Told) {
	if r.limiters == nil {
		return
	}
	credentials, stores := []ratelimit.Report[allowance](nil), []ratelimit.Report[xid.ID](nil)
	for _, t := range told {
		c, s, err := readTold(t.Rates)
		if err != nil {
			continue
		}
		credentials = append(credentials, ratelimit.Report[allowance]{Process: t.Process, At: int64(t.At), Uses: c})
		stores = append(stores, ratelimit.Report[xid.ID]{Process: t.Process, At: int64(t.At), Uses: s})
	}
	r.limiters.credentials.Hear(credentials)
	r.limiters.stores.Hear(stores)
}

var errTold = errors.New("not what a process tells of rates")

func readTold(b []byte) (credentials []ratelimit.Use[allowance], stores []ratelimit.Use[xid.ID], err error) {
	if len(b) == 0 || b[0] != toldForm {
		return nil, nil, errTold
	}
	for b = b[1:]; len(b) > 0 && err == nil; {
		kind := b[0]
		b = b[1:]
		switch {
		case kind == toldCredential && len(b) >= 2*len(xid.ID{}):
			u := ratelimit.Use[allowance]{Key: allowance{store: xid.ID(b[:16]), principal: xid.ID(b[16:32])}}
			b, err = readUse(b[32:], &u)
			credentials = append(credentials, u)
		case kind == toldStore && len(b) >= len(xid.ID{}):
			u := ratelimit.Use[xid.ID]{Key: xid.ID(b[:16])}
			b, err = readUse(b[16:], &u)
			stores = append(stores, u)
		default:
			err = errTold
		}
	}
	return credentials, stores, err
}

// readUse reads the numbers of a use. None is so large that sums could overflow.
func readUse[K comparable](b []byte, u *ratelimit.Use[K]) (rest []byte, err error) {
	for _, into := range []*int64{&u.Since, &u.Taken, &u.Asked, &u.Short} {
		n, size := binary.Varint(b)
		if size <= 0 || n < -1<<53 || n > 1<<53 {
			return nil, errTold
		}
		*into, b = n, b[size:]
	}
	if len(b) == 0 || b[0] > 1 {
		return nil, errTold
	}
	u.Busy = b[0] == 1
	return b[1:], nil
}
