package mariadb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// faketimePaths are the paths where distributions install libfaketime, which intercepts a program's
// reads of the clock. It has no effect on Go programs, which do not use libc for that.
var faketimePaths = []string{"/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1",
	"/usr/local/lib/faketime/libfaketimeMT.so.1"}

func faketime() string {
	for _, pattern := range faketimePaths {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// Settable reports whether [StartSettable] can start a server on this machine.
func Settable() bool { return Installed() && faketime() != "" }

// StartSettable is [Start] for a server whose time of day can be set while it runs; see
// [Server.SetClock].
func StartSettable(dir string, args ...string) (*Server, error) {
	if !Settable() {
		return nil, errors.New("mariadbd or the library of faketime is not installed")
	}
	return begin(installed(), dir, faketime(), args)
}

// withClock returns the start of a command line that runs a program with another clock. The library
// reads the file each time, and does not change the monotonic clock.
func withClock(library, file string) []string {
	return []string{"env", "LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + file, "FAKETIME_NO_CACHE=1",
		"FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_DISABLE_SHM=1"}
}

// SetClock sets the server's time of day to the machine's plus ahead, which may be negative, as if
// an operator set the clock: sessions and timeouts are not affected.
func (s *Server) SetClock(ahead time.Duration) error {
	if s.clock == "" {
		return errors.New("set the server's clock: it was started without a settable clock")
	}
	next := s.clock + ".next"
	if err := os.WriteFile(next, fmt.Appendf(nil, "%+f\n", ahead.Seconds()), 0o600); err != nil {
		return fmt.Errorf("set the server's clock: %w", err)
	}
	if err := os.Rename(next, s.clock); err != nil { // so that the file is never read half-written
		return fmt.Errorf("set the server's clock: %w", err)
	}
	return nil
}
