package app

import (
	"context"
	"log"
	"log/slog"
	"strings"
)

// serverLog makes the logger of an HTTP server. Everything net/http reports
// there goes to level debug, such as handshakes that strangers break off, but for
// what is ours: a panic, and connections that cannot be accepted.
func serverLog(to *slog.Logger) *log.Logger { return log.New(serverLines{to}, "", 0) }

// serverLines takes the lines of an HTTP server.
type serverLines struct{ to *slog.Logger }

// grave are the beginnings of lines that are errors, as net/http writes them.
var grave = []string{"http: panic serving ", "http2: panic serving ", "http: Accept error: "}

// Write implements io.Writer; log.Logger calls it once a line.
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
