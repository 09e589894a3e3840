//go:build unix

package attempt

import "syscall"

// quiet reports whether a socket is open and has nothing to read, neither bytes nor the end. It
// does not block.
func quiet(s syscall.RawConn) bool {
	var failed error
	err := s.Read(func(fd uintptr) bool {
		var b [1]byte
		_, failed = syscall.Read(int(fd), b[:])
		return true
	})
	return err == nil && failed == syscall.EAGAIN
}
