package webhook

import (
	"encoding/binary"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// sequenceBits is the width of the sequence in a delivery's id.
const sequenceBits = 40

// DeliveryID returns the id of a new delivery. The id contains the sequence, so that the row of a
// delivery is found by its id without a second index: it is at that place of one of the store's
// endpoints. The bits between come from the endpoint's id and keep the ids of two endpoints apart.
func DeliveryID(endpoint xid.ID, sequence int64, at micros.Time) xid.ID {
	id := xid.At(at)
	tail := binary.BigEndian.Uint64(id[8:])
	fixed := tail >> 62 << 62 // the variant of the UUID
	own := binary.BigEndian.Uint64(endpoint[8:]) & (1<<(62-sequenceBits) - 1)
	binary.BigEndian.PutUint64(id[8:], fixed|own<<sequenceBits|uint64(sequence)&(1<<sequenceBits-1))
	return id
}

// SequenceOf returns the sequence in a delivery's id.
func SequenceOf(id xid.ID) int64 {
	return int64(binary.BigEndian.Uint64(id[8:]) & (1<<sequenceBits - 1))
}
