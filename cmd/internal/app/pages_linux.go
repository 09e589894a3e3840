package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// releasePages returns pages of the program's own file that the start has touched: code and tables
// that initialize packages, check flags and read assets, most of them never needed again. The
// kernel keeps the file cached and maps pages again when they are used.
//
// If a file that was just written is cached in pages of 2 MB, a Linux that maps those as a whole
// (6.18) counts 12 MB more that nothing uses. So the kernel is asked once per file to drop them
// from its cache; it reads what is used again in small pages.
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
	for p := range parts(f, own) {
		if p.large {
			advise(ctx, log, p, unix.MADV_PAGEOUT)
		}
		advise(ctx, log, p, unix.MADV_DONTNEED)
	}
}

// part is a range of addresses that can be read again from the program's file.
type part struct {
	from, to uintptr
	large    bool // has pages of 2 MB
}

// parts finds such ranges in smaps (proc_pid_smaps(5)): mapped from own and never written.
func parts(smaps io.Reader, own string) iter.Seq[part] {
	return func(yield func(part) bool) {
		var p part
		for lines := bufio.NewScanner(smaps); lines.Scan(); {
			switch words := strings.Fields(lines.Text()); {
			case len(words) >= 5 && strings.Contains(words[0], "-"): // start of the next range
				p = part{}
				if len(words) == 6 && words[5] == own && (words[1] == "r-xp" || words[1] == "r--p") {
					_, _ = fmt.Sscanf(words[0], "%x-%x", &p.from, &p.to)
				}
			case len(words) == 3 && words[0] == "Anonymous:" && words[1] != "0":
				p = part{}
			case len(words) == 3 && words[0] == "FilePmdMapped:":
				p.large = words[1] != "0"
			case len(words) > 1 && words[0] == "VmFlags:" && p.from < p.to: // end of the range
				if !yield(p) {
					return
				}
			}
		}
	}
}

func advise(ctx context.Context, log *slog.Logger, p part, advice uintptr) {
	if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, p.from, p.to-p.from, advice); errno != 0 {
		log.DebugContext(ctx, "pages of the program are kept", "error", errno)
	}
}
