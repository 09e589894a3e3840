package ent

// This file is all that calls SQLite's own functions below the driver, and handle_test.go checks it.
// It does three things for which the driver has no option, up to its version 1.62.0:
//
//   - It removes the mutex of connections. The driver opens them with SQLITE_OPEN_FULLMUTEX, so that
//     SQLite locks it for every column of every row: see [opened] for why that is safe.
//   - It reads the columns of entities where SQLite has them: see [scanInto]. Without that, a page of
//     100 orders takes 1.4 times the CPU, and a single order 1.2 times.
//   - It ends a statement with its context at a fraction of the driver's cost: see [handle.watch].
//
// Should the driver ever pass SQLITE_OPEN_NOMUTEX on, use that.

import (
	"cmp"
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
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
// connection's mutex. It stores the handle for Connect if the URI has a name for it, and it frees the
// mutex: the connection is then as if opened with SQLITE_OPEN_NOMUTEX, which SQLite knows by the
// absence of the mutex. It was a tenth of the CPU of a page of 100 orders.
//
// SQLite allows that for connections that one thread at a time uses, and these are:
//
//   - database/sql holds a lock on the connection during each call of the driver and each
//     [stdsql.Conn.Raw], and gives an open transaction and open rows to no one else.
//   - [preparedConn] starts no goroutine. The driver starts one that ends statements which are not
//     kept prepared; all it calls is sqlite3_interrupt, which takes no mutex.
//   - The driver's own state of a connection has no lock either, so it relies on the same.
//   - The mutexes of what connections share, such as the list of files and the memory, stay.
func opened(tls *libc.TLS, db, _, _ uintptr) int32 {
	if c := connection(db); c.Fmutex != 0 {
		mutex := c.Fmutex
		c.Fmutex = 0
		sqlite3.Xsqlite3_mutex_leave(tls, mutex)
		sqlite3.Xsqlite3_mutex_free(tls, mutex)
	}
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

// scanInto runs a query on a SQLite connection and reads the columns directly from SQLite. For a
// page of orders, the driver's allocation for every value and the way through database/sql to a
// scanner are a sixth of the CPU.
func scanInto(ctx context.Context, from *stdsql.DB, to *cell.Target, query string, args []any) error {
	conn, err := from.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		prepared, ok := c.(*preparedConn)
		if !ok {
			return fmt.Errorf("query: the connection is a %T", c)
		}
		return prepared.scanInto(ctx, to, query, args)
	})
}

func (c *preparedConn) scanInto(ctx context.Context, to *cell.Target, query string, args []any) (err error) {
	values := make([]driver.Value, len(args))
	for i, arg := range args {
		if values[i], err = driver.DefaultParameterConverter.ConvertValue(arg); err != nil {
			return fmt.Errorf("query: argument %d: %w", i+1, err)
		}
	}
	st, err := c.take(ctx, query)
	if err != nil {
		return err
	}
	if st.handle == 0 {
		c.give(st, nil)
		return errors.New("query: more than one statement")
	}
	c.running = ctx
	defer func() { c.running = nil }()
	rows, err := st.Query(values)
	if err != nil {
		c.give(st, err)
		return contextError(ctx, err)
	}
	defer func() {
		ended := rows.Close() // with the error of the failed step, if any
		c.give(st, ended)
		err = cmp.Or(err, contextError(ctx, ended))
	}()
	// The driver has made the first step, and has reset the statement if there was no row.
	n := int(sqlite3.Xsqlite3_data_count(c.handle.tls, st.handle))
	meter := MeterOf(ctx)
	for more := n > 0; more; {
		if err := c.takeRow(st, n, to); err != nil {
			return fmt.Errorf("query: %w", err)
		}
		if err := meterRow(meter, to.Dest); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		more = sqlite3.Xsqlite3_step(c.handle.tls, st.handle) == sqlite3.SQLITE_ROW
	}
	return nil
}

// takeRow reads the current row of a statement, which must have n columns.
func (c *preparedConn) takeRow(st *preparedStmt, n int, to *cell.Target) error {
	if n != len(to.Dest.Scanners) {
		return fmt.Errorf("%d columns, of which %d are wanted", n, len(to.Dest.Scanners))
	}
	for i := range n {
		v, err := c.handle.value(sqlite3.Xsqlite3_column_value(c.handle.tls, st.handle, int32(i)))
		if err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
		if err := to.Dest.Take(i, v); err != nil {
			return err
		}
	}
	to.Row()
	return nil
}
