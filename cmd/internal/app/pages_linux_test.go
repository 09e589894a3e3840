package app

import (
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The memory of the program's file shrinks, and the program continues.
func TestReleasePages(t *testing.T) {
	before := ofFile(t)
	releasePages(t.Context(), slog.New(slog.DiscardHandler))
	if after := ofFile(t); after > before*3/4 {
		t.Errorf("%d kB of the file in memory, %d before", after, before)
	}
}

// Only ranges mapped from the program's file and never written are found.
func TestParts(t *testing.T) {
	const smaps = `00400000-02a00000 r-xp 00000000 fe:00 11 /bin/shop
Rss: 20188 kB
Anonymous: 0 kB
FilePmdMapped: 6144 kB
VmFlags: rd ex mr mw me
02a00000-05000000 r--p 02600000 fe:00 11 /bin/shop
Anonymous: 0 kB
FilePmdMapped: 0 kB
VmFlags: rd mr mw me
05000000-05100000 r--p 04c00000 fe:00 11 /bin/shop
Anonymous: 4 kB
FilePmdMapped: 0 kB
VmFlags: rd mr mw me
05100000-05200000 rw-p 04d00000 fe:00 11 /bin/shop
Anonymous: 0 kB
VmFlags: rd wr mr mw me
7f0000000000-7f0000100000 r-xp 00000000 fe:00 12 /lib/libc.so.6
Anonymous: 0 kB
VmFlags: rd ex mr mw me
7f0000200000-7f0000300000 rw-p 00000000 00:00 0
Anonymous: 0 kB
VmFlags: rd wr mr mw me
`
	want := []part{{0x400000, 0x2a00000, true}, {0x2a00000, 0x5000000, false}}
	if got := slices.Collect(parts(strings.NewReader(smaps), "/bin/shop")); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
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
