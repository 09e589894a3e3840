//go:build linux || darwin

package app

import "syscall"

// freeSpace returns how many bytes the program may still write on the disk of dir.
func freeSpace(dir string) (uint64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return st.Bavail * uint64(st.Bsize), true
}
