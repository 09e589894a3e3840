package ent

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/storefront-go/storefront/ent/fault"
)

func number(n uint16) error { return fmt.Errorf("insert order: %w", &mysql.MySQLError{Number: n}) }

func TestClassify(t *testing.T) {
	vtgate := func(text string) error { return &mysql.MySQLError{Number: vtgateError, Message: text} }
	tests := []struct {
		name        string
		err         error
		want        class
		duplicate   bool
		lockTimeout bool
		unavailable bool
	}{
		{name: "duplicate", err: number(1062), want: duplicate, duplicate: true},
		{name: "deadlock", err: number(1213), want: conflict, unavailable: true},
		{name: "a table was altered", err: number(1412), want: conflict, unavailable: true},
		{name: "certification", err: number(1180), want: conflict, unavailable: true},
		{name: "lock wait", err: number(1205), want: lockWait, lockTimeout: true, unavailable: true},
		{name: "too many connections", err: number(1040), want: refused, unavailable: true},
		{name: "galera not ready", err: number(1047), want: refused, unavailable: true},
		{name: "no writer", err: &noWriterError{[]error{context.DeadlineExceeded}}, want: refused, unavailable: true},
		{name: "shutdown", err: number(1053), want: linkLost, unavailable: true},
		{name: "idle for too long", err: number(4031), want: linkLost, unavailable: true},
		{name: "an unexpected answer", err: mysql.ErrPktSync, want: linkLost, unavailable: true},
		{name: "a table that cannot grow on a full disk", err: number(1114), want: broken, unavailable: true},
		{name: "a shard without a primary", err: vtgate("target: shop.-80.primary: no healthy tablet available for 'x'"),
			want: linkLost, unavailable: true},
		{name: "a shard being resharded", err: vtgate("target: shop.80-.primary: current keyspace is being resharded"),
			want: linkLost, unavailable: true},
		{name: "a shard shutting down", err: vtgate("rpc error: code = Code(17) desc = operation not allowed in state " +
			"SHUTTING_DOWN"), want: linkLost, unavailable: true},
		{name: "an unsupported query on vtgate", err: vtgate("scatter is not allowed"), want: fatal},
		{name: "syntax", err: number(1064), want: fatal},
		{name: "check", err: number(4025), want: fatal},
		{name: "bad connection", err: driver.ErrBadConn, want: linkLost, unavailable: true},
		{name: "invalid connection", err: fmt.Errorf("x: %w", mysql.ErrInvalidConn), want: linkLost, unavailable: true},
		{name: "end of file", err: io.ErrUnexpectedEOF, want: linkLost, unavailable: true},
		{name: "a fault that a body caused", err: &fault.Error{Kind: fault.Forbidden, Err: io.EOF}, want: fatal},
		{name: "a fault that the database caused", err: &fault.Error{Kind: fault.Unavailable, Err: io.EOF},
			want: linkLost, unavailable: true},
		{name: "deadline", err: context.DeadlineExceeded, want: fatal, unavailable: true},
		{name: "cancel", err: context.Canceled, want: fatal},
		{name: "ours", err: errors.New("sold out"), want: fatal},
		{name: "none", want: fatal},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := classify(tc.err); got != tc.want {
				t.Errorf("class: got %s, want %s", got, tc.want)
			}
			if got := IsDuplicate(tc.err); got != tc.duplicate {
				t.Errorf("IsDuplicate: got %t", got)
			}
			if got := IsLockTimeout(tc.err); got != tc.lockTimeout {
				t.Errorf("IsLockTimeout: got %t", got)
			}
			if got := IsUnavailable(tc.err); got != tc.unavailable {
				t.Errorf("IsUnavailable: got %t", got)
			}
		})
	}
}

func TestClassifySQLite(t *testing.T) {
	tests := []struct {
		code int
		want class
	}{
		{1555, duplicate}, {2067, duplicate}, {5, conflict}, {517, conflict}, {6, conflict},
		{13, broken}, {14, broken}, {266, broken}, {1299, fatal}, {1, fatal}, {8, fatal},
	}
	for _, tc := range tests {
		if got := classifySQLite(tc.code); got != tc.want {
			t.Errorf("%d: got %s, want %s", tc.code, got, tc.want)
		}
	}
}

func TestRetryNext(t *testing.T) {
	tests := []struct {
		name        string
		err         error
		phase       phase
		keyed       bool
		want        int // tries in all
		unavailable bool
	}{
		{name: "deadlock", err: number(1213), phase: running, want: maxTries, unavailable: true},
		{name: "deadlock at commit", err: number(1213), phase: committing, want: maxTries, unavailable: true},
		{name: "final deadlock", err: Final(number(1213)), phase: running, want: 1, unavailable: true},
		{name: "lock wait", err: number(1205), phase: running, want: 1 + maxLockWaits, unavailable: true},
		{name: "final lock wait", err: fmt.Errorf("claim: %w", Final(number(1205))), phase: running, keyed: true,
			want: 1, unavailable: true},
		{name: "link lost before commit", err: driver.ErrBadConn, phase: running, want: maxTries, unavailable: true},
		{name: "link lost in commit", err: driver.ErrBadConn, phase: committing, want: 1, unavailable: true},
		{name: "link lost in commit, keyed", err: driver.ErrBadConn, phase: committing, keyed: true, want: maxTries,
			unavailable: true},
		{name: "duplicate", err: number(1062), phase: running, keyed: true, want: 1},
		{name: "ours", err: errors.New("sold out"), phase: running, keyed: true, want: 1},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			later := time.Now().Add(time.Hour)
			r := retry{deadline: later, answer: later, keyed: tc.keyed}
			tries := 1
			for {
				wait, again := r.next(tc.err, tc.phase, none)
				if !again {
					break
				}
				if tries++; wait <= 0 || wait > 641*time.Millisecond {
					t.Fatalf("wait of %v", wait)
				}
			}
			if tries != tc.want {
				t.Errorf("got %d tries, want %d", tries, tc.want)
			}
			if err := r.explain(tc.err); IsUnavailable(err) != tc.unavailable || !errors.Is(err, tc.err) {
				t.Errorf("got %v, unavailable %t", err, IsUnavailable(err))
			}
		})
	}
}

// Tries do not count at the start of an outage; in a long one there are none.
func TestRetryInOutage(t *testing.T) {
	later := time.Now().Add(time.Hour)
	r := retry{deadline: later, answer: later}
	for range 3 * maxTries {
		if _, again := r.next(driver.ErrBadConn, running, young); !again {
			t.Fatal("a try at the start of an outage counts")
		}
	}
	if _, again := r.next(driver.ErrBadConn, committing, young); again {
		t.Error("a commit of unknown outcome is tried again")
	}
	if _, again := r.next(number(1213), running, old); !again {
		t.Error("a deadlock is not tried again")
	}
	if _, again := r.next(driver.ErrBadConn, running, old); again || !IsUnavailable(r.explain(driver.ErrBadConn)) {
		t.Error("retried in a long outage, or not explained")
	}
}

func TestRetryEndsAtTheDeadline(t *testing.T) {
	over := time.Now().Add(-time.Second)
	r := retry{deadline: over, answer: over}
	if _, again := r.next(number(1213), running, none); again {
		t.Error("tried again after the deadline")
	}
}

func TestReads(t *testing.T) {
	tests := []struct {
		query string
		want  bool
	}{
		{"SELECT 1", true}, {"select 1", true}, {"EXPLAIN QUERY PLAN SELECT 1", true}, {"SHOW STATUS", true},
		{"(SELECT 1 LIMIT 1) UNION ALL (SELECT 2)", true}, {"(DELETE FROM a)", false},
		{"UPDATE orders SET x = 1", false}, {"INSERT INTO a SELECT 1", false}, {"", false}, {"DELETE FROM a", false},
	}
	for _, tc := range tests {
		if got := reads(tc.query); got != tc.want {
			t.Errorf("%q: got %t", tc.query, got)
		}
	}
}
