package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// TicketLife is how long a consent screen can be answered.
const TicketLife = 15 * time.Minute

// A ticket proves that this server showed this request to this session for this store: it consists
// of an id that can be spent once, its expiry, and a MAC over both, the session, the store and the
// request.
const ticketLen = 16 + 8 + sha256.Size

func (s *Server) ticket(v *viewer.Viewer, r *Request) string {
	id := xid.New()
	b := binary.BigEndian.AppendUint64(id[:], uint64(micros.Now().Add(TicketLife)))
	return base64.RawURLEncoding.EncodeToString(append(b, sign(s.tickets[0], b, v, r)...))
}

// open verifies a ticket of the viewer and returns the id that it spends.
func (s *Server) open(v *viewer.Viewer, r *Request, ticket string) (xid.ID, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(ticket)
	if err != nil || len(b) != ticketLen {
		return xid.Nil, false
	}
	head, mac := b[:24], b[24:]
	for _, k := range s.tickets {
		if hmac.Equal(mac, sign(k, head, v, r)) {
			return xid.ID(head[:16]), micros.Now() < micros.Time(binary.BigEndian.Uint64(head[16:]))
		}
	}
	return xid.Nil, false
}

func sign(k keyring.MACKey, head []byte, v *viewer.Viewer, r *Request) []byte {
	mac := hmac.New(sha256.New, k.Key[:])
	mac.Write([]byte("consent ticket\x00"))
	mac.Write(head)
	mac.Write(v.Session[:])
	mac.Write(v.Actor[:])
	mac.Write(v.Store[:])
	sum := r.digest()
	mac.Write(sum[:])
	return mac.Sum(nil)
}
