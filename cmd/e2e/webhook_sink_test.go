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

// trap is the path that only a sender who follows redirects asks for.
const trap = "/trap"

// sink is a receiver of webhooks for many endpoints, each with a path and a book
// of its own.
type sink struct {
	*httptest.Server
	closing context.Context
	trapped atomic.Int64

	mu    sync.Mutex
	books map[string]*book // by path
	place int              // counts what is written into the books
	more  chan struct{}    // closed when something is
}

// receiving starts a sink, which goes with the test.
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

// ServeHTTP takes a delivery down, and answers as the book's mood is.
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

// enter writes down what arrived and decides what is answered.
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

// answered notes that an entry gets its 2xx: the sender cannot know it before.
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

// await waits until nothing is missing, and fails the test when something stays
// so. What is missing is asked for after each change, with the books locked.
func (s *sink) await(t *testing.T, within time.Duration, missing func() string) {
	t.Helper()
	if text := s.lacks(within, missing); text != "" {
		t.Errorf("after %v: %s", within, text)
	}
}

// lacks is await without a judgement: it returns what is still missing.
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

// mood is what a receiver answers, and how. status is the one that the sender
// gets to see, 0 where none reaches them.
type mood struct {
	name   string
	status int
	delay  func(s *sink, r *http.Request) // before the answer is decided
	act    func(s *sink, w http.ResponseWriter, r *http.Request)
}

// plainly answers with a status alone.
func plainly(code int) mood {
	return mood{name: strconv.Itoa(code), status: code, act: func(_ *sink, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
	}}
}

// slowly answers 200 after a while.
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
	// metadata leads to the address where clouds keep their secrets.
	metadata = redirect(func(*sink) string { return "http://169.254.169.254/latest/meta-data/" })
	// elsewhere leads to an address that would answer.
	elsewhere = redirect(func(s *sink) string { return s.URL + trap })
	// reset ends the connection as a crash does.
	reset = raw("reset", 0, func(_ *sink, c net.Conn) { c.(*net.TCPConn).SetLinger(0) })
	// cut ends the connection within the answer's headers.
	cut = raw("cut", 0, func(_ *sink, c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Le") })
	// nonsense is no HTTP.
	nonsense = raw("nonsense", 0, func(_ *sink, c net.Conn) { io.WriteString(c, "HTTP/1.1 two hundred\r\n\r\n") })
	// dripHead never comes to the end of its headers.
	dripHead = raw("drip head", 0, func(s *sink, c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Drip: ")
		for s.pause(100 * time.Millisecond) {
			if _, err := io.WriteString(c, "a"); err != nil {
				return
			}
		}
	})
	// dripBody answers at once, with a body that does not end.
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
	// farewell answers and says that the connection ends.
	farewell = mood{
		name: "farewell", status: http.StatusOK, act: func(_ *sink, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
		},
	}
	// unsaid answers and ends the connection without a word.
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

// raw writes on the connection itself, and closes it.
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
