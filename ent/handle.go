package ent

import (
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/storefront-go/storefront/ent/cell"
)

// handle is a connection as passed to SQLite's own functions.
type handle struct {
	tls *libc.TLS // the driver's, used by one goroutine at a time
	db  uintptr
}

// handleName is the URI parameter of a connection under which opened stores its handle.
const handleName = "storefront_handle"

// handleParameter is handleName in SQLite's memory.
var handleParameter uintptr

// handles are the handles of connections being opened, by name.
var handles sync.Map

// extend registers opened with SQLite, once.
var extend = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	var err error
	if handleParameter, err = libc.CString(handleName); err != nil {
		return err
	}
	if rc := sqlite3.Xsqlite3_auto_extension(tls, function(opened)); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("register an extension of SQLite: code %d", rc)
	}
	return nil
})

// function returns the address of a Go function for SQLite to call.
func function[F any](f F) uintptr {
	at := struct{ f F }{f}                  // in C, a pointer to a function points at this
	return *(*uintptr)(unsafe.Pointer(&at)) //nolint:gosec // a function is never moved
}

// opened is an extension that SQLite calls at the end of opening a connection, while it holds the
// connection's mutex.
//
// It frees the mutex, as the option SQLITE_OPEN_NOMUTEX does, which the driver does not pass on.
// Otherwise the mutex is locked for every column of every row, a fifth of the cost of a page. It is
// not needed: database/sql gives a connection to one goroutine at a time, and the driver's own
// state of a connection has no other protection. Interrupting a statement takes no mutex.
//
// It also stores the handle for Connect if the URI has a name for it.
func opened(tls *libc.TLS, db, _, _ uintptr) int32 {
	c := connection(db)
	mutex := c.Fmutex
	c.Fmutex = 0
	sqlite3.Xsqlite3_mutex_leave(tls, mutex)
	sqlite3.Xsqlite3_mutex_free(tls, mutex)
	const mainDatabase = 0
	file := sqlite3.Xsqlite3_db_filename(tls, db, mainDatabase)
	if name := sqlite3.Xsqlite3_uri_parameter(tls, file, handleParameter); name != 0 {
		handles.Store(libc.GoString(name), handle{tls, db})
	}
	return sqlite3.SQLITE_OK
}

// connection returns the SQLite connection at an address in the driver's memory.
func connection(db uintptr) *sqlite3.Tsqlite3 {
	return *(**sqlite3.Tsqlite3)(unsafe.Pointer(&db)) //nolint:gosec // not memory of Go
}

// stepsPerCheck is the number of virtual machine steps that SQLite makes between two checks of a
// statement's context: some tenths of a millisecond.
const stepsPerCheck = 4096

// watched are the connections whose statements end with their contexts, by handle.
var watched sync.Map

// watch makes SQLite call interrupted every stepsPerCheck steps of a statement of c. A goroutine
// that interrupts from outside would cost each statement more than all these checks.
func (h handle) watch(c *preparedConn) {
	watched.Store(h.db, c)
	sqlite3.Xsqlite3_progress_handler(h.tls, h.db, stepsPerCheck, function(interrupted), h.db)
}

// interrupted reports, as a C boolean, whether the context of the running statement has ended.
func interrupted(_ *libc.TLS, db uintptr) int32 {
	c, ok := watched.Load(db)
	if !ok {
		return 0
	}
	if ctx := c.(*preparedConn).running; ctx == nil || ctx.Err() == nil {
		return 0
	}
	return 1
}

// latest returns the most recently prepared statement of h, or 0 if its text is not query: the
// driver keeps none for a script.
func (h handle) latest(query string) uintptr {
	stmt := sqlite3.Xsqlite3_next_stmt(h.tls, h.db, 0)
	if stmt == 0 || libc.GoString(sqlite3.Xsqlite3_sql(h.tls, stmt)) != query {
		return 0
	}
	return stmt
}

// value returns a column of the current row of a statement of h; its bytes are valid until the next
// step. Text is read as a blob, which saves SQLite a copy with a terminating zero.
func (h handle) value(at uintptr) (cell.Value, error) {
	switch kind := sqlite3.Xsqlite3_value_type(h.tls, at); kind {
	case sqlite3.SQLITE_NULL:
		return cell.Value{}, nil
	case sqlite3.SQLITE_INTEGER:
		return cell.Value{Kind: cell.KindNumber, Number: sqlite3.Xsqlite3_value_int64(h.tls, at)}, nil
	case sqlite3.SQLITE_TEXT, sqlite3.SQLITE_BLOB:
		first := sqlite3.Xsqlite3_value_blob(h.tls, at)
		n := int(sqlite3.Xsqlite3_value_bytes(h.tls, at))
		b := unsafe.Slice(*(**byte)(unsafe.Pointer(&first)), n) //nolint:gosec // not memory of Go
		return cell.Value{Kind: cell.KindBytes, Bytes: b}, nil
	default:
		return cell.Value{}, fmt.Errorf("SQLite's type %d is none of an entity's", kind)
	}
}
