package app

import (
	"bufio"
	"context"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// releasePages gives the pages of the program's own file back that the start has touched: code
// and tables that initialize packages, check flags and read assets, most of them never needed
// again. The system keeps the file; what is needed is mapped anew as it is used.
func releasePages(ctx context.Context, log *slog.Logger) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()
	own, err := os.Executable()
	if err != nil {
		return
	}
	var m mapping
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch words := strings.Fields(lines.Text()); {
		case len(words) >= 5 && strings.Contains(words[0], "-"):
			m = mapping{}
			if len(words) == 6 && words[5] == own && (words[1] == "r-xp" || words[1] == "r--p") {
				m = parseMapping(words[0])
			}
		case len(words) == 3 && words[0] == "Anonymous:" && words[1] == "0" && m.size > 0:
			// Nothing was written there: all of it can be read from the file again.
			if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, m.at, m.size, syscall.MADV_DONTNEED); errno != 0 {
				log.DebugContext(ctx, "pages of the program are kept", "error", errno)
			}
		}
	}
}

// mapping is a part of the address space.
type mapping struct{ at, size uintptr }

// parseMapping reads "from-to" in hexadecimal digits; nothing where it is not that.
func parseMapping(s string) mapping {
	from, to, _ := strings.Cut(s, "-")
	a, err := strconv.ParseUint(from, 16, 64)
	b, err2 := strconv.ParseUint(to, 16, 64)
	if err != nil || err2 != nil || b <= a {
		return mapping{}
	}
	return mapping{uintptr(a), uintptr(b - a)}
}
