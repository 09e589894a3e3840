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
	// keptFor is how long an unused connection is kept if the receiver does not announce its own
	// limit. Common servers close it after 2 s (gunicorn) or 5 s (Apache, Node, uvicorn). A request
	// that crosses the receiver's close is lost, so the client closes first.
	keptFor = 1500 * time.Millisecond
	// keptMost is the longest time a connection is kept if the receiver announces its limit.
	keptMost = 30 * time.Second
	// margin is how much earlier than the receiver the client closes.
	margin = time.Second
	// noReuseFor is how long no connection is kept to a place that closes them at once.
	noReuseFor = time.Minute
	// maxHistory bounds the places whose history is kept.
	maxHistory = 1 << 16
	// sweepEvery is how often expired connections are closed.
	sweepEvery = time.Second
)

// place is the destination of connections: attempts to the same place share them.
type place struct {
	secure bool
	host   string
	addr   string // with the port
}

func placeOf(u *url.URL) place {
	port := "80"
	if u.Scheme == "https" {
		port = "443"
	}
	return place{secure: u.Scheme == "https", host: u.Hostname(),
		addr: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))}
}

// pool keeps connections between attempts and counts all open ones.
type pool struct {
	most int

	mu        sync.Mutex
	kept      map[place][]*conn // in the order in which they were put back
	histories map[place]history
	idle      int // connections in kept
	open      int // including those in use
}

// history is how a place has treated kept connections. Some receivers close each connection after
// one answer without saying so: an attempt that crosses the close fails.
type history struct {
	served       bool      // one of them served a second attempt
	noReuseUntil time.Time // until then none is kept
}

func (p *pool) take(at place) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.kept[at]
	if len(list) == 0 {
		return nil
	}
	return p.remove(at, len(list)-1)
}

// remove removes a connection. The lock is held.
func (p *pool) remove(at place, i int) *conn {
	c := p.kept[at][i]
	if p.kept[at] = slices.Delete(p.kept[at], i, i+1); len(p.kept[at]) == 0 {
		delete(p.kept, at)
	}
	p.idle--
	return c
}

// put keeps a connection for a time, unless reuse is off for its place.
func (p *pool) put(c *conn, d time.Duration) {
	now := time.Now()
	p.mu.Lock()
	known := p.histories[c.place]
	if d <= 0 || now.Before(known.noReuseUntil) {
		p.mu.Unlock()
		c.close()
		return
	}
	defer p.mu.Unlock()
	if c.reused && !known.served {
		p.record(c.place, history{served: true})
	}
	if p.idle == 0 {
		time.AfterFunc(sweepEvery, p.sweep)
	}
	c.reused, c.until = true, now.Add(d)
	p.idle++
	p.kept[c.place] = append(p.kept[c.place], c)
}

// broke records that a kept connection ended early. If the receiver has served a second attempt
// before, it was merely restarted, or dropped this one.
func (p *pool) broke(at place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.histories[at].served {
		p.record(at, history{noReuseUntil: time.Now().Add(noReuseFor)})
	}
}

// record records the history of a place. The lock is held.
func (p *pool) record(at place, h history) {
	if len(p.histories) >= maxHistory {
		clear(p.histories) // it is recorded again
	}
	p.histories[at] = h
}

// room counts a connection that is about to be opened. If too many are open, it closes a kept one
// of any place.
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

func (p *pool) closed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
}

// sweep closes expired connections, and runs again while any are kept.
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

func (p *pool) closeKept() {
	p.mu.Lock()
	all := p.extract(func(*conn) bool { return true })
	p.mu.Unlock()
	for _, c := range all {
		c.close()
	}
}

// extract removes and returns the connections for which f returns true. The lock is held.
func (p *pool) extract(f func(*conn) bool) (out []*conn) {
	for at, list := range p.kept {
		p.kept[at] = slices.DeleteFunc(list, func(c *conn) bool {
			drop := f(c)
			if drop {
				out = append(out, c)
			}
			return drop
		})
		if len(p.kept[at]) == 0 {
			delete(p.kept, at)
		}
	}
	p.idle -= len(out)
	return out
}

// keepFor returns how long to keep a connection after an answer: for less than the timeout that the
// receiver announces, as Apache and Node do.
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
