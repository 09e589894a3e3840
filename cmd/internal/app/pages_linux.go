package app

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// releasePages gives the pages of the program's own file back that the start has touched: code
// and tables that initialize packages, check flags and read assets, most of them never needed
// again. The system keeps the file; what is needed is mapped anew as it is used.
func releasePages(ctx context.Context, log *slog.Logger) { advise(ctx, log, unix.MADV_DONTNEED) }

// evictPages is [releasePages] once the start has ended, and asks the system to keep the file's
// pages no longer itself, which it does for the file's owner. A file that was just written is in
// its cache as folios of up to 2 MB, and a Linux that maps those whole (6.18) counts 12 MB that
// nobody uses; what is read again from the disk comes in small ones. That takes the first
// requests some milliseconds, once.
func evictPages(ctx context.Context, log *slog.Logger) {
	advise(ctx, log, unix.MADV_PAGEOUT)
	releasePages(ctx, log)
}

// advise gives advice about each part of the program's own file that nothing was written to: all
// of it can be read from the file again.
func advise(ctx context.Context, log *slog.Logger, advice uintptr) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()
	own, err := os.Executable()
	if err != nil {
		return
	}
	var from, to uintptr
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch words := strings.Fields(lines.Text()); {
		case len(words) >= 5 && strings.Contains(words[0], "-"): // a part of the address space
			from, to = 0, 0
			if len(words) == 6 && words[5] == own && (words[1] == "r-xp" || words[1] == "r--p") {
				_, _ = fmt.Sscanf(words[0], "%x-%x", &from, &to)
			}
		case len(words) == 3 && words[0] == "Anonymous:" && words[1] == "0" && from < to:
			if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, from, to-from, advice); errno != 0 {
				log.DebugContext(ctx, "pages of the program are kept", "error", errno)
			}
		}
	}
}
