package wire

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// few is the number of members up to which comparing all pairs is faster than hashing.
const few = 8

// unique returns an error if two names of an object are equal.
func (p *parser) unique(object Value) error {
	if object.Len() > few {
		return p.uniqueHashed(object)
	}
	var seen [few][]byte
	n := 0
	for i := range object.names() {
		name := p.bytes(i)
		for _, s := range seen[:n] {
			if bytes.Equal(s, name) {
				return p.duplicate(i)
			}
		}
		seen[n] = name
		n++
	}
	return nil
}

// uniqueHashed keeps the check linear for large objects. Each text has a new seed, so no one can
// prepare names that collide.
func (p *parser) uniqueHashed(object Value) error {
	if p.seed == (maphash.Seed{}) {
		p.seed = maphash.MakeSeed()
	}
	size := 1 << bits.Len(uint(object.Len())*2) // at most half full
	if cap(p.table) < size {
		p.table = make([]uint32, size)
	}
	table, mask := p.table[:size], uint64(size-1)
	clear(table)
	for i := range object.names() {
		name := p.bytes(i)
		// A slot holds the node of a name, which is never node 0.
		slot := maphash.Bytes(p.seed, name) & mask
		for table[slot] != 0 {
			if bytes.Equal(p.bytes(table[slot]), name) {
				return p.duplicate(i)
			}
			slot = (slot + 1) & mask
		}
		table[slot] = i
	}
	return nil
}

func (p *parser) duplicate(name uint32) error {
	return p.fail("duplicate member", int(p.nodes[name].at))
}
