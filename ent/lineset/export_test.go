package lineset

import (
	"encoding/binary"

	"github.com/storefront-go/storefront/ent/xid"
)

// Seal adds the checksum to a set.
func Seal(order xid.ID, set []byte) []byte {
	return binary.LittleEndian.AppendUint32(set[:len(set):len(set)], sum(order[:], set))
}
