package app

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// errorLines is a log that keeps errors alone.
type errorLines struct {
	mu sync.Mutex
	bytes.Buffer
}

// Write implements io.Writer.
func (l *errorLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(b)
}

// TestServerReportsPanics: a panic that only net/http recovers is logged as an error, and mistakes
// of clients are not.
func TestServerReportsPanics(t *testing.T) {
	out := &errorLines{}
	s := &Server{log: slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelError}))}
	h := s.server(t.Context(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic("outside of everything")
	}), 0)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go h.Serve(l)
	if res, err := http.Get("http://" + l.Addr().String()); err == nil {
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		t.Error("a panic was answered")
	}
	h.ErrorLog.Print("http: TLS handshake error from 192.0.2.1:1: http: panic serving the reader of logs")
	if err := h.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	if text := out.String(); strings.Count(text, "level=ERROR") != 1 ||
		!strings.Contains(text, "outside of everything") {
		t.Errorf("logged %s", text)
	}
}
