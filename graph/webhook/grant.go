package webhook

import (
	"maps"
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
)

// grantTTL is how long what an app may have is remembered: what is revoked is
// over everywhere within 10 s (contract, section 7).
const grantTTL = 4 * time.Second

// grantKey names an app in a store.
type grantKey struct{ store, app xid.ID }

// grant is what an app may have in a store, as it was at a time.
type grant struct {
	scopes scope.Set
	at     time.Time
}

// grants remembers what apps may have, for a moment: what is older goes when
// something new comes.
type grants struct {
	mu    sync.Mutex
	known map[grantKey]grant
	swept time.Time
}

func (g *grants) get(k grantKey, now time.Time) (scope.Set, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	it, ok := g.known[k]
	return it.scopes, ok && now.Sub(it.at) < grantTTL
}

func (g *grants) put(k grantKey, scopes scope.Set, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil {
		g.known = map[grantKey]grant{}
	}
	if now.Sub(g.swept) >= grantTTL {
		maps.DeleteFunc(g.known, func(_ grantKey, it grant) bool { return now.Sub(it.at) >= grantTTL })
		g.swept = now
	}
	g.known[k] = grant{scopes, now}
}
