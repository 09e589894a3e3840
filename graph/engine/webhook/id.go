package webhook

import (
	"encoding/binary"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// sequenceBits is the room for a delivery's sequence in its id.
const sequenceBits = 40

// DeliveryID makes the id of a delivery. It carries the sequence, so that the
// row of a delivery is found by its id without a second index: in the store, at
// this place of one of its endpoints. The bits between come from the endpoint,
// which keeps the ids of two endpoints apart.
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
