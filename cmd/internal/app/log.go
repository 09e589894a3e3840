package app

import (
	"io"
	"log/slog"
	"os"
	"strings"
)

// Logger returns the logger of the settings. Lines may be buffered for a moment, unless a person is
// likely to read along; flush writes them at the end of the program.
func (l Log) Logger(w io.Writer) (_ *slog.Logger, flush func()) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(strings.ToUpper(l.LogLevel))); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if l.Read(w) {
		return slog.New(slog.NewTextHandler(w, options)), func() {}
	}
	lines := newBatch(w)
	var h slog.Handler = slog.NewJSONHandler(lines, options)
	if l.LogFormat == "text" {
		h = slog.NewTextHandler(lines, options)
	}
	return slog.New(prompt{h, lines}), func() { _ = lines.Flush() } // nothing is left to report an error to
}

// Read reports whether a person is likely to read what is logged to w.
func (l Log) Read(w io.Writer) bool { return l.LogFormat != "json" && terminal(w) }

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
