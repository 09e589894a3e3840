//go:build unix

package keyring

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of the one that it replaces: the program may run as another user
// than the one that rotates.
func keepOwner(f *os.File, before fs.FileInfo) error {
	st, ok := before.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}
