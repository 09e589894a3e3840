package attempt

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// keptFor is how long a connection is kept without use where the receiver does not
	// say how long it keeps it. Common servers close it after 2 s (gunicorn) or 5 s
	// (Apache, Node, uvicorn): a request that crosses the end of its connection is lost,
	// so ours comes first.
	keptFor = 1500 * time.Millisecond
	// keptMost is how long it is kept at most where the receiver does say.
	keptMost = 30 * time.Second
	// margin is how much earlier than the receiver we close.
	margin = time.Second
	// shunFor is how long no connection is kept to a place that closes them at once.
	shunFor = time.Minute
	// maxHabits bounds the places of which something is remembered.
	maxHabits = 1 << 16
	// sweepEvery is how often connections are closed whose time is over.
	sweepEvery = time.Second
)

// place is where connections lead to: attempts to the same place share them.
type place struct {
	secure bool
	addr   string // host and port
}

func placeOf(u *url.URL) place {
	port := "80"
	if u.Scheme == "https" {
		port = "443"
	}
	return place{secure: u.Scheme == "https", addr: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))}
}

// pool keeps connections between attempts and counts all that are open.
type pool struct {
	most int

	mu     sync.Mutex
	kept   map[place][]*conn // in the order in which they were put back
	habits map[place]habit
	idle   int // all of kept
	open   int // those in use too
}

// habit is what a place was seen to do with connections that are kept. Some receivers
// close each after one answer and do not say so: an attempt that crosses the end of
// its connection fails.
type habit struct {
	served  bool      // a second attempt over one of them
	shunned time.Time // until then none is kept
}

func newPool(most int) *pool {
	return &pool{most: most, kept: map[place][]*conn{}, habits: map[place]habit{}}
}

// take returns the connection to a place that was used last, or nil.
func (p *pool) take(at place) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.kept[at]
	if len(list) == 0 {
		return nil
	}
	return p.remove(at, len(list)-1)
}

// remove takes one connection out. The lock is held.
func (p *pool) remove(at place, i int) *conn {
	c := p.kept[at][i]
	if p.kept[at] = slices.Delete(p.kept[at], i, i+1); len(p.kept[at]) == 0 {
		delete(p.kept, at)
	}
	p.idle--
	return c
}

// put keeps a connection for a time, unless its place is shunned.
func (p *pool) put(c *conn, d time.Duration) {
	now := time.Now()
	p.mu.Lock()
	known := p.habits[c.place]
	if d <= 0 || now.Before(known.shunned) {
		p.mu.Unlock()
		c.close()
		return
	}
	defer p.mu.Unlock()
	if c.reused && !known.served {
		p.learn(c.place, habit{served: true})
	}
	if p.idle == 0 {
		time.AfterFunc(sweepEvery, p.sweep)
	}
	c.reused, c.until = true, now.Add(d)
	p.idle++
	p.kept[c.place] = append(p.kept[c.place], c)
}

// broke notes that a kept connection ended before its time. A receiver that has
// served a second attempt before was merely restarted, or was tired of this one.
func (p *pool) broke(at place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.habits[at].served {
		p.learn(at, habit{shunned: time.Now().Add(shunFor)})
	}
}

// learn remembers a habit. The lock is held.
func (p *pool) learn(at place, h habit) {
	if len(p.habits) >= maxHabits {
		clear(p.habits) // what was forgotten is learned again
	}
	p.habits[at] = h
}

// room counts a connection that is about to be opened. When too many are open, it
// closes one that is kept, of any place.
func (p *pool) room() {
	p.mu.Lock()
	p.open++
	var victim *conn
	if p.open > p.most {
		for at := range p.kept {
			victim = p.remove(at, 0)
			break
		}
	}
	p.mu.Unlock()
	if victim != nil {
		victim.close()
	}
}

// closed counts a connection that was closed, or not opened.
func (p *pool) closed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
}

// sweep closes the connections whose time is over, and comes again while any are
// kept.
func (p *pool) sweep() {
	now := time.Now()
	p.mu.Lock()
	over := p.extract(func(c *conn) bool { return !now.Before(c.until) })
	if p.idle > 0 {
		time.AfterFunc(sweepEvery, p.sweep)
	}
	p.mu.Unlock()
	for _, c := range over {
		c.close()
	}
}

// closeKept closes every connection that is kept.
func (p *pool) closeKept() {
	p.mu.Lock()
	all := p.extract(func(*conn) bool { return true })
	p.mu.Unlock()
	for _, c := range all {
		c.close()
	}
}

// extract takes out the connections for which f holds. The lock is held.
func (p *pool) extract(f func(*conn) bool) (out []*conn) {
	for at, list := range p.kept {
		rest := list[:0]
		for _, c := range list {
			if f(c) {
				out = append(out, c)
			} else {
				rest = append(rest, c)
			}
		}
		clear(list[len(rest):])
		if p.kept[at] = rest; len(rest) == 0 {
			delete(p.kept, at)
		}
	}
	p.idle -= len(out)
	return out
}

// keepFor is how long a connection is kept after an answer: shorter than the
// receiver keeps it, where it says so as Apache and Node do.
func keepFor(h http.Header) time.Duration {
	for part := range strings.SplitSeq(h.Get("Keep-Alive"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if !strings.EqualFold(name, "timeout") {
			continue
		}
		if n, err := strconv.ParseUint(value, 10, 16); err == nil {
			return min(time.Duration(n)*time.Second-margin, keptMost)
		}
	}
	return keptFor
}
