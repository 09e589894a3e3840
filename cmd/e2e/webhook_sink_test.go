package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// trap is a path that only a sender that follows redirects requests.
const trap = "/trap"

// sink is a webhook receiver for many endpoints, each with its path and book.
type sink struct {
	*httptest.Server
	closing context.Context
	trapped atomic.Int64

	mu    sync.Mutex
	books map[string]*book // by path
	place int              // counts entries in the books
	more  chan struct{}    // closed when there is a new one
}

// receiving starts a sink, which ends with the test.
func receiving(t *testing.T) *sink {
	t.Helper()
	closing, closed := context.WithCancel(t.Context())
	s := &sink{closing: closing, books: map[string]*book{}, more: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		closed()
		s.CloseClientConnections()
		s.Close()
		if n := s.trapped.Load(); n > 0 {
			t.Errorf("%d redirects were followed", n)
		}
	})
	return s
}

// ServeHTTP records a delivery, and answers by the book's mood.
func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	b := s.book(r.URL.Path)
	if b == nil || err != nil {
		if r.URL.Path == trap {
			s.trapped.Add(1)
		}
		http.NotFound(w, r)
		return
	}
	e := &entry{method: r.Method, path: r.URL.Path, header: r.Header.Clone(), body: body, at: time.Now()}
	if err := json.Unmarshal(body, &e.payload); err != nil {
		e.malformed = err
	}
	e.attempt, _ = strconv.Atoi(r.Header.Get("X-Service-Attempt"))
	m := s.enter(b, e)
	if m.delay != nil {
		m.delay(s, r)
	}
	if m.status/100 == 2 {
		s.answered(b, e)
	}
	m.act(s, w, r)
}

func (s *sink) book(path string) *book {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.books[path]
}

// enter records a request and decides the answer.
func (s *sink) enter(b *book, e *entry) mood {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := fine
	if b.temper != nil {
		m = b.temper(e)
	}
	s.place++
	e.arrived, e.mood = s.place, m.name
	b.entries = append(b.entries, e)
	s.changed()
	return m
}

// answered records the 2xx of an entry, before the sender can receive it.
func (s *sink) answered(b *book, e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.place++
	e.answered = s.place
	if b.taken[e.payload.EventID]++; b.taken[e.payload.EventID] == 1 {
		b.types[e.payload.Type]++
	}
	s.changed()
}

// changed wakes those that wait.
func (s *sink) changed() {
	close(s.more)
	s.more = make(chan struct{})
}

// await waits until nothing is missing, and fails the test after a time. missing is called after
// each change, with the books locked.
func (s *sink) await(t *testing.T, within time.Duration, missing func() string) {
	t.Helper()
	if text := s.lacks(within, missing); text != "" {
		t.Errorf("after %v: %s", within, text)
	}
}

// lacks is await without failing: it returns what is still missing.
func (s *sink) lacks(within time.Duration, missing func() string) string {
	limit := time.NewTimer(within)
	defer limit.Stop()
	for {
		s.mu.Lock()
		text, more := missing(), s.more
		s.mu.Unlock()
		if text == "" {
			return ""
		}
		select {
		case <-more:
		case <-limit.C:
			return text
		}
	}
}

// mood is how a receiver answers. status is what the sender receives, 0 if nothing.
type mood struct {
	name   string
	status int
	delay  func(s *sink, r *http.Request) // before the answer is decided
	act    func(s *sink, w http.ResponseWriter, r *http.Request)
}

// plainly answers with only a status.
func plainly(code int) mood {
	return mood{name: strconv.Itoa(code), status: code, act: func(_ *sink, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
	}}
}

// slowly answers 200 after a delay.
func slowly(after time.Duration) mood {
	m := fine
	m.name, m.delay = "slow", func(s *sink, _ *http.Request) { s.pause(after) }
	return m
}

var (
	fine = plainly(http.StatusOK)
	// hang never answers.
	hang = mood{name: "hang", act: func(s *sink, _ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-s.closing.Done():
		}
	}}
	// metadata redirects to the address where clouds keep their secrets.
	metadata = redirect(func(*sink) string { return "http://169.254.169.254/latest/meta-data/" })
	// elsewhere redirects to an address that would answer.
	elsewhere = redirect(func(s *sink) string { return s.URL + trap })
	// reset resets the connection.
	reset = raw("reset", 0, func(_ *sink, c net.Conn) { c.(*net.TCPConn).SetLinger(0) })
	// cut ends the connection within the answer's headers.
	cut = raw("cut", 0, func(_ *sink, c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Le") })
	// nonsense is not HTTP.
	nonsense = raw("nonsense", 0, func(_ *sink, c net.Conn) { io.WriteString(c, "HTTP/1.1 two hundred\r\n\r\n") })
	// dripHead never ends its headers.
	dripHead = raw("drip head", 0, func(s *sink, c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Drip: ")
		for s.pause(100 * time.Millisecond) {
			if _, err := io.WriteString(c, "a"); err != nil {
				return
			}
		}
	})
	// dripBody answers at once with a body that never ends.
	dripBody = mood{name: "drip body", status: http.StatusOK,
		act: func(s *sink, w http.ResponseWriter, r *http.Request) {
			for s.pause(50*time.Millisecond) && r.Context().Err() == nil {
				if _, err := io.WriteString(w, "a"); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
			}
		}}
	// huge answers with 100 MB.
	huge = mood{name: "huge", status: http.StatusOK, act: func(_ *sink, w http.ResponseWriter, _ *http.Request) {
		block := make([]byte, 1<<20)
		for range 100 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}}
	// farewell answers with Connection: close.
	farewell = mood{
		name: "farewell", status: http.StatusOK, act: func(_ *sink, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
		},
	}
	// unsaid answers and closes the connection without announcing it.
	unsaid = raw("unsaid", http.StatusOK, func(_ *sink, c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	})

	faults = []mood{plainly(http.StatusInternalServerError), plainly(http.StatusServiceUnavailable), metadata,
		elsewhere, reset, cut, nonsense, hang, dripHead}
	oddly = []mood{dripBody, huge, farewell, unsaid}
)

func redirect(to func(*sink) string) mood {
	return mood{name: "redirect", status: http.StatusTemporaryRedirect,
		act: func(s *sink, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to(s))
			w.WriteHeader(http.StatusTemporaryRedirect)
		}}
}

// raw writes to the connection itself, and closes it.
func raw(name string, status int, act func(*sink, net.Conn)) mood {
	return mood{name: name, status: status, act: func(s *sink, w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(fmt.Errorf("hijack: %w", err))
		}
		defer c.Close()
		act(s, c)
	}}
}

// pause waits, and reports whether the sink goes on.
func (s *sink) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-s.closing.Done():
		return false
	}
}
