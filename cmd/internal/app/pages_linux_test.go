package app

import (
	"context"
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// What the program's file has in memory becomes a fraction, and the program goes on.
func TestReleasePages(t *testing.T) {
	for name, release := range map[string]func(context.Context, *slog.Logger){
		"released": releasePages, "evicted": evictPages,
	} {
		advise(t.Context(), slog.New(slog.DiscardHandler), unix.MADV_POPULATE_READ)
		before := ofFile(t)
		release(t.Context(), slog.New(slog.DiscardHandler))
		if after := ofFile(t); after > before/4 {
			t.Errorf("%s: %d kB of the file in memory, %d before", name, after, before)
		}
	}
}

// ofFile returns how many kB of files the process has in memory.
func ofFile(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no RssFile in %s", text)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
