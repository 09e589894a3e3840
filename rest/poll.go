package rest

import (
	"encoding/binary"
	"hash/maphash"
	"sync"

	"github.com/storefront-go/storefront/rest/variant"
)

// maxPolls is how many lists are remembered, in some 600 KB.
const maxPolls = 1 << 13

// polls are the lists that did not change between two requests for one page of them.
// Whoever asks for such a page again costs one look at the store's events in place of the
// rows: nothing of it has changed where there is no event more.
type polls struct {
	seed  maphash.Seed
	slots [maxPolls]struct {
		mu sync.Mutex
		poll
	}
}

// poll is a page of a list as one credential sees it.
type poll struct {
	asked    uint64 // who asked for what; 0 for none
	revision uint64 // that of the store before the page was read
	tag      string
}

// asked is who asks for what.
func (p *polls) asked(c *call) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	v := c.viewer
	_, _ = h.Write(v.Store[:])
	_, _ = h.Write(v.Credential[:])
	var scopes [4]byte
	_, _ = h.Write(binary.BigEndian.AppendUint32(scopes[:0], uint32(v.Scopes)))
	_, _ = h.WriteString(c.r.URL.Path)
	_ = h.WriteByte('?')
	_, _ = h.WriteString(c.r.URL.RawQuery)
	return max(h.Sum64(), 1)
}

// known returns what is remembered of a page.
func (p *polls) known(asked uint64) poll {
	s := &p.slots[asked%maxPolls]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked != asked {
		return poll{}
	}
	return s.poll
}

// keep remembers a page, in place of another one.
func (p *polls) keep(next poll) {
	s := &p.slots[next.asked%maxPolls]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.poll = next
}

// unchanged looks whether a list is what the client has of it, without reading it. The tag
// of such a list is left in the call.
func (a *API) unchanged(c *call) error {
	if !c.row.told || c.r.Header["If-None-Match"] == nil {
		return nil
	}
	revision, err := a.Core.Revision(c.ctx)
	if err != nil || revision == 0 {
		return err
	}
	c.poll = poll{asked: a.polls.asked(c), revision: revision}
	known := a.polls.known(c.poll.asked)
	if known.revision == revision && variant.Matches(c.r.Header, known.tag) {
		c.poll.tag = known.tag
	}
	return nil
}
