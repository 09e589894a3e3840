package rest

import (
	"encoding/binary"
	"errors"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// Rates counts the requests of credentials and of stores together with the other processes of a
// fleet. Create one with new and pass it to [New].
type Rates struct{ limiters *limiters }

// maxReported bounds the credentials, and the stores, in a report. No process admits a quarter of so
// many rates.
const maxReported = 1000

// Formats of the reports that processes exchange.
const (
	reportFormat     = 1
	reportCredential = 'c'
	reportStore      = 's'
)

// Tell returns the report for the other servers; servers counts this one too. It returns nil if no
// credential and no store uses much of its rate.
func (r *Rates) Tell(servers int64) []byte {
	if r.limiters == nil {
		return nil
	}
	credentials, stores := r.limiters.credentials, r.limiters.stores
	credentials.Servers(servers)
	stores.Servers(servers)
	var reports []byte
	for _, u := range credentials.Uses(maxReported) {
		reports = append(append(append(reports, reportCredential), u.Key.store[:]...), u.Key.principal[:]...)
		reports = appendUse(reports, u)
	}
	for _, u := range stores.Uses(maxReported) {
		reports = appendUse(append(append(reports, reportStore), u.Key[:]...), u)
	}
	if reports == nil {
		return nil
	}
	return append([]byte{reportFormat}, reports...)
}

func appendUse[K comparable](reports []byte, u ratelimit.Use[K]) []byte {
	for _, n := range []int64{u.Since, u.Taken, u.Asked, u.Short} {
		reports = binary.AppendVarint(reports, n)
	}
	if u.Busy {
		return append(reports, 1)
	}
	return append(reports, 0)
}

// Hear takes the latest reports of the other processes. A report that cannot be read, such as one
// of a newer version, is ignored.
func (r *Rates) Hear(reports []apikey.PeerReport) {
	if r.limiters == nil {
		return
	}
	credentials, stores := []ratelimit.Report[allowance](nil), []ratelimit.Report[xid.ID](nil)
	for _, t := range reports {
		c, s, err := readReport(t.Rates)
		if err != nil {
			continue
		}
		credentials = append(credentials, ratelimit.Report[allowance]{Process: t.Process, At: int64(t.At), Uses: c})
		stores = append(stores, ratelimit.Report[xid.ID]{Process: t.Process, At: int64(t.At), Uses: s})
	}
	r.limiters.credentials.Merge(credentials)
	r.limiters.stores.Merge(stores)
}

var errReport = errors.New("not a report of rates")

func readReport(b []byte) (credentials []ratelimit.Use[allowance], stores []ratelimit.Use[xid.ID], err error) {
	if len(b) == 0 || b[0] != reportFormat {
		return nil, nil, errReport
	}
	for b = b[1:]; len(b) > 0 && err == nil; {
		kind := b[0]
		b = b[1:]
		switch {
		case kind == reportCredential && len(b) >= 2*len(xid.ID{}):
			u := ratelimit.Use[allowance]{Key: allowance{store: xid.ID(b[:16]), principal: xid.ID(b[16:32])}}
			b, err = readUse(b[32:], &u)
			credentials = append(credentials, u)
		case kind == reportStore && len(b) >= len(xid.ID{}):
			u := ratelimit.Use[xid.ID]{Key: xid.ID(b[:16])}
			b, err = readUse(b[16:], &u)
			stores = append(stores, u)
		default:
			err = errReport
		}
	}
	return credentials, stores, err
}

// readUse reads the numbers of a use. They are bounded so that sums cannot overflow.
func readUse[K comparable](b []byte, u *ratelimit.Use[K]) (rest []byte, err error) {
	for _, into := range []*int64{&u.Since, &u.Taken, &u.Asked, &u.Short} {
		n, size := binary.Varint(b)
		if size <= 0 || n < -1<<53 || n > 1<<53 {
			return nil, errReport
		}
		*into, b = n, b[size:]
	}
	if len(b) == 0 || b[0] > 1 {
		return nil, errReport
	}
	u.Busy = b[0] == 1
	return b[1:], nil
}
