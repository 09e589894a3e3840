//go:build linux || darwin

package app

import "syscall"

// freeSpace returns the bytes that the program may still write beside dir.
func freeSpace(dir string) (uint64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return st.Bavail * uint64(st.Bsize), true
}
