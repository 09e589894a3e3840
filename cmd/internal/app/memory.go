package app

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"
)

// collectAt is the growth of the heap, in percent, at which the collector runs.
// What lives here is a few megabytes, so Go's default of 100 collects dozens of
// times a second under load; a few megabytes more make that rare.
const collectAt = 150

// TuneCollector applies [collectAt], unless GOGC says otherwise.
func TuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
}

// settle gives the memory back that only the start has needed: half of what the process has.
func settle(ctx context.Context, log *slog.Logger) {
	debug.FreeOSMemory()
	releasePages(ctx, log)
}
