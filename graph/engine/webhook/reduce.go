package webhook

import (
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/webhook/selection"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// maxSelections bounds the compiled selections in memory; compiling one again takes microseconds.
const maxSelections = 1000

// selections are compiled selections by their text. A selection that does not compile is nil.
type selections struct {
	compiled *lru.Cache[string, *selection.Selection]
}

func newSelections() selections {
	compiled, _ := lru.New[string, *selection.Selection](maxSelections) // only a size below one is an error
	return selections{compiled}
}

// of returns nil for a selection that this release does not understand.
func (s selections) of(text string) *selection.Selection {
	if found, ok := s.compiled.Get(text); ok {
		return found
	}
	made, err := selection.Compile(text)
	if err != nil {
		made = nil
	}
	s.compiled.Add(text, made)
	return made
}

// reduce returns the body of a message to an endpoint: the full one, the selected fields, or none.
// There is no data if the selection is not understood, does not cover the event, or makes the body
// too large.
func (s selections) reduce(e settings, kind event.Type, body []byte) ([]byte, error) {
	switch e.payload {
	case state.PayloadFull:
		return body, nil
	case state.PayloadSelection:
		if chosen := s.of(*e.selection); chosen != nil && chosen.Covers(kind) {
			reduced, err := chosen.Event(kind, body)
			if err != nil || len(reduced) <= outbox.MaxBody {
				return reduced, err
			}
		}
	}
	return wire.ThinEvent(body)
}
