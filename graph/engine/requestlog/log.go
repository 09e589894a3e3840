// Package requestlog logs the REST API requests of keys and apps. It keeps a sample, bounded for
// each of them and for each store, and prefers refused requests. It writes in batches apart from
// the requests, which never wait for it.
package requestlog

import (
	"sync"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Kept is how long a request stays in the log.
const Kept = 72 * time.Hour

// Every is how often a process writes what it has gathered.
const Every = 2 * time.Second

// Entry is a request that has been answered.
type Entry struct {
	ID     xid.ID
	Method string
	// Route is the path with {id} instead of an id.
	Route string
	// Kind and Resource are that id, if the path has a well-formed one.
	Kind     xid.Kind
	Resource xid.ID
	Status   int
	Code     string // the code of the problem
	Took     time.Duration
}

// row is an entry from the view of one store.
type row struct {
	Entry
	store, subject xid.ID
	appStore       xid.ID // the store that registered the app, if the subject is an app
	caller         xid.ID // the other store in which the app made the request
}

// Log gathers entries and writes them.
type Log struct {
	store   *ent.Store
	metrics *metrics

	mu      sync.Mutex // held briefly, because every request acquires it
	pending []row
	windows map[subject]*window

	round sync.Mutex // serializes rounds
	since time.Time  // when the windows began
}

// New returns an empty log for a store.
func New(store *ent.Store) *Log {
	return &Log{store: store, metrics: newMetrics(), windows: map[subject]*window{}, since: time.Now()}
}

// Add adds a request of a key or an app to the log of the viewer's store, and for an app of another
// store to the log of that store as well. Requests beyond the bounds are only counted.
func (l *Log) Add(v *viewer.Viewer, e *Entry) {
	if v.Kind != viewer.APIKey && v.Kind != viewer.OAuthApp {
		return
	}
	r := row{Entry: *e, store: v.Store, subject: v.Actor, appStore: v.AppStore}
	r.Method = known(r.Method)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(&r)
	if !r.appStore.IsNil() && r.appStore != r.store {
		r.caller, r.store = r.store, r.appStore
		l.take(&r)
	}
}

// known returns the method, or OTHER for a method that is not standard: a client may send any
// method of any length.
func known(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "OTHER"
}
