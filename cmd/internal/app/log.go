package app

import (
	"io"
	"log/slog"
	"os"
	"strings"
)

// Logger makes the logger of the settings.
func (l Log) Logger(w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(strings.ToUpper(l.LogLevel))); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if l.LogFormat == "text" || l.Read(w) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// Read reports whether a person is likely to read along what is logged to w.
func (l Log) Read(w io.Writer) bool { return l.LogFormat != "json" && terminal(w) }

// terminal reports whether a person is likely to read what is written to w.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
