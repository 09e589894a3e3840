package mariadb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// fakers is where distributions put the library of faketime. It stands between a program
// and its clock, which Go's own programs ask without a library.
var fakers = []string{"/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1",
	"/usr/local/lib/faketime/libfaketimeMT.so.1"}

func faker() string {
	for _, pattern := range fakers {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// Settable reports whether [StartSettable] can start a server on this machine.
func Settable() bool { return Installed() && faker() != "" }

// StartSettable is [Start] for a server whose time of day can be set while it runs; see
// [Server.SetClock].
func StartSettable(dir string, args ...string) (*Server, error) {
	if !Settable() {
		return nil, errors.New("mariadbd or the library of faketime is not installed")
	}
	return begin(installed(), dir, faker(), args)
}

// under is the start of a command line that puts a program under another clock: the
// library reads the file each time, and leaves alone what measures waits.
func under(library, file string) []string {
	return []string{"env", "LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + file, "FAKETIME_NO_CACHE=1",
		"FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_DISABLE_SHM=1"}
}

// SetClock puts the server's time of day so far before the machine's, or behind it, as an
// operator does who sets the clock: sessions and what waits go on.
func (s *Server) SetClock(ahead time.Duration) error {
	if s.clock == "" {
		return errors.New("set the server's clock: it was not started for that")
	}
	next := s.clock + ".next"
	if err := os.WriteFile(next, fmt.Appendf(nil, "%+f\n", ahead.Seconds()), 0o600); err != nil {
		return fmt.Errorf("set the server's clock: %w", err)
	}
	if err := os.Rename(next, s.clock); err != nil { // so that nobody reads half of it
		return fmt.Errorf("set the server's clock: %w", err)
	}
	return nil
}
