package requestlog

import (
	"net/http"
	"time"

	"github.com/storefront-go/storefront/ent/xid"
)

// Outcomes with separate bounds.
const (
	refused = iota
	answered
	outcomes
)

// Requests kept per minute and process, by outcome.
var (
	ofSubject = [outcomes]int{refused: 60, answered: 20}
	ofStore   = [outcomes]int{refused: 600, answered: 200}
)

const (
	// roomForErrors bounds the rows that wait to be written. Half of it is reserved for errors.
	roomForErrors    = 4096
	roomForSuccesses = roomForErrors / 2
	// maxWindows bounds the keys and apps per minute.
	maxWindows = 1 << 14
	// minute is the minimum length of a window.
	minute = time.Minute
)

// subject is a key or an app in a store, or the store itself if the id is nil.
type subject struct{ store, id xid.ID }

// window counts what was kept of a subject in a minute, by outcome.
type window struct {
	kept    [outcomes]int
	last    [outcomes]xid.ID // the last request that was kept
	omitted [outcomes]int64
}

// take keeps a row if it is within the bounds.
func (l *Log) take(r *row) {
	outcome, room := answered, roomForSuccesses
	if r.Status >= http.StatusBadRequest {
		outcome, room = refused, roomForErrors
	}
	own, all := l.window(subject{r.store, r.subject}), l.window(subject{r.store, xid.Nil})
	switch {
	case own == nil || all == nil:
		l.metrics.full.Inc()
	case len(l.pending) >= room:
		own.omitted[outcome]++
		l.metrics.full.Inc()
	case own.kept[outcome] >= ofSubject[outcome] || all.kept[outcome] >= ofStore[outcome]:
		own.omitted[outcome]++
		l.metrics.sampled.Inc()
	default:
		own.kept[outcome]++
		all.kept[outcome]++
		own.last[outcome] = r.ID
		l.pending = append(l.pending, *r)
	}
}

func (l *Log) window(s subject) *window {
	w := l.windows[s]
	if w == nil && len(l.windows) < maxWindows {
		w = new(window)
		l.windows[s] = w
	}
	return w
}
