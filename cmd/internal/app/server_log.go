package app

import (
	"context"
	"log"
	"log/slog"
	"strings"
)

// serverLog returns the logger of an HTTP server. Lines of net/http, such as handshakes that
// strangers break off, have level debug, except our own errors: panics, and connections that cannot
// be accepted.
func serverLog(to *slog.Logger) *log.Logger { return log.New(serverLines{to}, "", 0) }

type serverLines struct{ to *slog.Logger }

// grave are the prefixes of lines that are errors, as net/http writes them.
var grave = []string{"http: panic serving ", "http2: panic serving ", "http: Accept error: "}

// Write implements io.Writer; log.Logger calls it once per line.
func (l serverLines) Write(line []byte) (int, error) {
	text, level := strings.TrimRight(string(line), "\n"), slog.LevelDebug
	for _, beginning := range grave {
		if strings.HasPrefix(text, beginning) {
			level = slog.LevelError
		}
	}
	l.to.Log(context.Background(), level, text)
	return len(line), nil
}
