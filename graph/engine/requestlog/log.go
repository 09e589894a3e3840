// Package requestlog keeps what keys and apps asked of the REST API: a sample, bounded for
// each of them and for each store, in which what was refused comes first. It is written in
// batches beside the requests, which never wait for it.
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
	// Route is the path with {id} in place of an id.
	Route string
	// Kind and Resource are that id, where the path has one of the right form.
	Kind     xid.Kind
	Resource xid.ID
	Status   int
	Code     string // of the problem
	Took     time.Duration
}

// row is an entry as one store sees it.
type row struct {
	Entry
	store, subject xid.ID
	appStore       xid.ID // that registered the app, which the subject then is
	caller         xid.ID // the other store in which the app did it
}

// Log gathers entries and writes them.
type Log struct {
	store   *ent.Store
	metrics *metrics

	mu      sync.Mutex // held for moments: requests come through here
	pending []row
	windows map[subject]*window

	round sync.Mutex // one round at a time
	spare []row      // takes the place of pending
	since time.Time  // when the windows began
}

// New makes an empty log over a store.
func New(store *ent.Store) *Log {
	return &Log{store: store, metrics: newMetrics(), windows: map[subject]*window{}, since: time.Now()}
}

// Add notes a request of a key or an app, in the store and, for another store's app, in
// the one that registered it. What is above the bounds is counted only.
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

// known keeps to the methods that HTTP knows: a client may invent others, of any length.
func known(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "OTHER"
}
