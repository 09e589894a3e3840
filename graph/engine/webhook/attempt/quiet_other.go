//go:build !unix

package attempt

import "syscall"

// quiet is not known here, so that every attempt has a connection of its own.
func quiet(syscall.RawConn) bool { return false }
