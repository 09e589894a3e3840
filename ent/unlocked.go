package ent

import (
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// unlock lets SQLite open its connections without a mutex of their own, as its option
// SQLITE_OPEN_NOMUTEX does, which the driver does not pass on: it would be locked anew for
// every column of every row, a fifth of what a page costs. Nobody else could come:
// database/sql gives a connection to one goroutine at a time, and what the driver itself
// keeps of a connection has no other protection. What interrupts a statement takes no
// mutex.
var unlock = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	f := struct { // what a pointer to a function points at in C
		f func(*libc.TLS, uintptr, uintptr, uintptr) int32
	}{opened}
	at := *(*uintptr)(unsafe.Pointer(&f)) //nolint:gosec // a function is never moved
	if rc := sqlite3.Xsqlite3_auto_extension(tls, at); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("register an extension of SQLite: code %d", rc)
	}
	return nil
})

// opened is an extension, which SQLite calls at the end of opening a connection, while it
// holds the mutex.
func opened(tls *libc.TLS, db, _, _ uintptr) int32 {
	c := handle(db)
	mutex := c.Fmutex
	c.Fmutex = 0
	sqlite3.Xsqlite3_mutex_leave(tls, mutex)
	sqlite3.Xsqlite3_mutex_free(tls, mutex)
	return sqlite3.SQLITE_OK
}

// handle is the connection at an address in the driver's own memory.
func handle(db uintptr) *sqlite3.Tsqlite3 {
	return *(**sqlite3.Tsqlite3)(unsafe.Pointer(&db)) //nolint:gosec // no memory of Go's
}
