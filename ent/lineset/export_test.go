package lineset

import (
	"encoding/binary"
	"slices"

	"github.com/storefront-go/storefront/ent/xid"
)

// Seal appends the checksum to a set.
func Seal(order xid.ID, set []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clip(set), sum(order[:], set))
}
