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
)

func number(n uint16) error { return fmt.Errorf("insert order: %w", &mysql.MySQLError{Number: n}) }

func TestClassify(t *testing.T) {
	tests := []struct {
		name        string
		err         error
		want        class
		duplicate   bool
		lockTimeout bool
		unavailable bool
	}{
		{"duplicate", number(1062), duplicate, true, false, false},
		{"deadlock", number(1213), conflict, false, false, true},
		{"certification", number(1180), conflict, false, false, true},
		{"lock wait", number(1205), lockWait, false, true, true},
		{"too many connections", number(1040), refused, false, false, true},
		{"galera not ready", number(1047), refused, false, false, true},
		{"shutdown", number(1053), linkLost, false, false, true},
		{"syntax", number(1064), fatal, false, false, false},
		{"check", number(4025), fatal, false, false, false},
		{"bad connection", driver.ErrBadConn, linkLost, false, false, true},
		{"invalid connection", fmt.Errorf("x: %w", mysql.ErrInvalidConn), linkLost, false, false, true},
		{"end of file", io.ErrUnexpectedEOF, linkLost, false, false, true},
		{"deadline", context.DeadlineExceeded, fatal, false, false, true},
		{"cancel", context.Canceled, fatal, false, false, false},
		{"ours", errors.New("sold out"), fatal, false, false, false},
		{"none", nil, fatal, false, false, false},
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
		{"deadlock", number(1213), running, false, maxTries, true},
		{"deadlock at commit", number(1213), committing, false, maxTries, true},
		{"final deadlock", Final(number(1213)), running, false, 1, true},
		{"lock wait", number(1205), running, false, 1 + maxLockWaits, true},
		{"final lock wait", fmt.Errorf("claim: %w", Final(number(1205))), running, true, 1, true},
		{"link lost before commit", driver.ErrBadConn, running, false, maxTries, true},
		{"link lost in commit", driver.ErrBadConn, committing, false, 1, true},
		{"link lost in commit, keyed", driver.ErrBadConn, committing, true, maxTries, true},
		{"duplicate", number(1062), running, true, 1, false},
		{"ours", errors.New("sold out"), running, true, 1, false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := retry{deadline: time.Now().Add(time.Hour), keyed: tc.keyed}
			tries := 1
			for {
				wait, again := r.next(tc.err, tc.phase)
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

func TestRetryEndsAtTheDeadline(t *testing.T) {
	r := retry{deadline: time.Now().Add(-time.Second)}
	if _, again := r.next(number(1213), running); again {
		t.Error("tried again after the deadline")
	}
}

func TestReads(t *testing.T) {
	tests := []struct {
		query string
		want  bool
	}{
		{"SELECT 1", true}, {"select 1", true}, {"EXPLAIN QUERY PLAN SELECT 1", true}, {"SHOW STATUS", true},
		{"UPDATE orders SET x = 1", false}, {"INSERT INTO a SELECT 1", false}, {"", false}, {"DELETE FROM a", false},
	}
	for _, tc := range tests {
		if got := reads(tc.query); got != tc.want {
			t.Errorf("%q: got %t", tc.query, got)
		}
	}
}
