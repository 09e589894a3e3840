package app

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/storefront-go/storefront/graph/engine/webhook"
)

const (
	// collectAt is the growth of the heap, in percent, at which the collector runs.
	// What lives here is a few megabytes, so Go's default of 100 collects dozens of
	// times a second under load; a few megabytes more make that rare.
	collectAt = 120
	// collectAtStart is that of the start, most of which is garbage as soon as it is made.
	collectAtStart = 50
)

// TuneCollector applies [collectAt], unless GOGC says otherwise.
func TuneCollector() { collect(collectAt) }

func collect(percent int) {
	if os.Getenv("GOGC") == "" {
		webhook.SetGCPercent(percent)
	}
}

// spare keeps what a start needs low until it has ended: see [settle].
func spare(ctx context.Context, log *slog.Logger) {
	collect(collectAtStart)
	releasePages(ctx, log)
}

// settle gives the memory back that only the start has needed: half of what the process has.
func settle(ctx context.Context, log *slog.Logger) {
	debug.FreeOSMemory()
	releasePages(ctx, log)
	TuneCollector()
}
