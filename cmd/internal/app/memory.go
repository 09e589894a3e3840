package app

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/storefront-go/storefront/graph/engine/webhook"
)

const (
	// collectAt is the growth of the heap, in percent, at which the garbage collector runs. The
	// live heap is a few megabytes, so Go's default of 100 would collect dozens of times a second
	// under load; a few megabytes more make that rare.
	collectAt = 120
	// collectAtStart is the value during the start, which mostly produces garbage.
	collectAtStart = 50
)

// TuneCollector applies [collectAt], unless GOGC says otherwise.
func TuneCollector() { collect(collectAt) }

func collect(percent int) {
	if os.Getenv("GOGC") == "" {
		webhook.SetGCPercent(percent)
	}
}

// spare limits the memory of a start until it has ended; see [settle].
func spare(ctx context.Context, log *slog.Logger) {
	collect(collectAtStart)
	releasePages(ctx, log)
}

// settle returns the memory that only the start needed: half of the process's.
func settle(ctx context.Context, log *slog.Logger) {
	debug.FreeOSMemory()
	releasePages(ctx, log)
	TuneCollector()
}
