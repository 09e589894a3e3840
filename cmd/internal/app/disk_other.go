//go:build !linux && !darwin

package app

// freeSpace is not supported on this system.
func freeSpace(string) (uint64, bool) { return 0, false }
