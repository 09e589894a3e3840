package app

import (
	"log/slog"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// What the program's file has in memory becomes less, and the program goes on.
func TestReleasePages(t *testing.T) {
	before := ofFile(t)
	releasePages(t.Context(), slog.New(slog.DiscardHandler))
	if after := ofFile(t); after > before*3/4 {
		t.Errorf("%d kB of the file in memory, %d before", after, before)
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
