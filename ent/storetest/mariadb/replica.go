package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// Member is a server that can be a replica or a primary. Replication is semi-synchronous: a commit
// is answered only when the replica has it too.
type Member struct {
	*Server

	port int
	db   *sql.DB // as root, who may write despite read-only
}

// memberSettings make commits survive a crash of the server, though not of its machine, and let a
// replica keep up with many writers.
var memberSettings = []string{
	"--innodb-flush-log-at-trx-commit=2", "--innodb-doublewrite=1", "--read-only=1", "--gtid-strict-mode=1",
	"--skip-networking=0", "--bind-address=127.0.0.1", "--log-bin=binlog", "--log-slave-updates",
	"--slave-parallel-threads=4", "--slave-parallel-mode=optimistic", "--rpl-semi-sync-slave-enabled=1",
	"--rpl-semi-sync-slave-kill-conn-timeout=1", "--rpl-semi-sync-master-timeout=60000",
	"--rpl-semi-sync-master-wait-point=AFTER_SYNC",
}

// StartMember starts a server with commits that survive a crash, a binary log, and a loopback port
// for replicas. It takes no writes until [Member.Promote]. For dir see [Start].
func StartMember(id int, dir string) (*Member, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	addr, ok := l.Addr().(*net.TCPAddr)
	if err := l.Close(); err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	if !ok {
		return nil, errors.New("find a port: not a TCP address")
	}
	args := append([]string{fmt.Sprint("--port=", addr.Port), fmt.Sprint("--server-id=", id)}, memberSettings...)
	s, err := Start(dir, args...)
	if err != nil {
		return nil, err
	}
	db, err := s.open("")
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Member{Server: s, port: addr.Port, db: db}, nil
}

// Address returns the address of a database on the first of the members that takes writes, as a
// user to whom read-only applies.
func Address(name string, members ...*Member) string {
	var list strings.Builder
	list.WriteString("mysql://app@")
	for i, m := range members {
		if i > 0 {
			list.WriteString(",")
		}
		list.WriteString("unix(" + m.socket + ")")
	}
	return list.String() + "/" + name
}

// Setup creates a database, and the users for using and replicating it.
func (m *Member) Setup(ctx context.Context, name string) error {
	return m.run(ctx, "CREATE DATABASE `"+name+"` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
		"CREATE USER app@localhost", "GRANT ALL ON `"+name+"`.* TO app@localhost",
		"CREATE USER follower@'127.0.0.1'", "GRANT REPLICATION SLAVE ON *.* TO follower@'127.0.0.1'")
}

// Follow makes m replicate another member from the start, and waits until it has caught up. From
// then on the other one waits for m before it answers a commit.
func (m *Member) Follow(ctx context.Context, of *Member) error {
	var position string
	if err := of.db.QueryRowContext(ctx, "SELECT @@gtid_binlog_pos").Scan(&position); err != nil {
		return fmt.Errorf("follow: %w", err)
	}
	err := m.run(ctx, fmt.Sprintf("CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USER = 'follower',"+
		" MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1", of.port), "START SLAVE")
	if err != nil {
		return err
	}
	if err := m.reach(ctx, position); err != nil {
		return err
	}
	return of.run(ctx, "SET GLOBAL rpl_semi_sync_master_enabled = 1")
}

// Promote makes m take writes, once it has applied all that it received.
func (m *Member) Promote(ctx context.Context) error {
	if err := m.run(ctx, "STOP SLAVE IO_THREAD"); err != nil {
		return err
	}
	rows, err := m.db.QueryContext(ctx, "SHOW SLAVE STATUS")
	if err != nil {
		return fmt.Errorf("promote: %w", err)
	}
	position, err := field(rows, "Gtid_IO_Pos")
	if err != nil {
		return fmt.Errorf("promote: %w", err)
	}
	if position != "" {
		if err := m.reach(ctx, position); err != nil {
			return err
		}
	}
	return m.run(ctx, "STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 0")
}

// Demote makes m read-only.
func (m *Member) Demote(ctx context.Context) error { return m.run(ctx, "SET GLOBAL read_only = 1") }

// Close ends the server as kill -9 does.
func (m *Member) Close() error { return errors.Join(m.db.Close(), m.Server.Close()) }

func (m *Member) reach(ctx context.Context, position string) error {
	var late int
	err := m.db.QueryRowContext(ctx, "SELECT MASTER_GTID_WAIT(?, 60)", position).Scan(&late)
	if err == nil && late != 0 {
		err = errors.New("it lags behind by more than a minute")
	}
	if err != nil {
		return fmt.Errorf("wait for a member: %w", err)
	}
	return nil
}

func (m *Member) run(ctx context.Context, statements ...string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, s := range statements {
		if _, err := m.db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%.30s: %w", s, err)
		}
	}
	return nil
}

// field returns a column of the first row, or "" if there is no row.
func field(rows *sql.Rows, name string) (string, error) {
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil || !rows.Next() {
		return "", errors.Join(err, rows.Err())
	}
	row := make([]sql.RawBytes, len(names))
	into := make([]any, len(names))
	for i := range row {
		into[i] = &row[i]
	}
	if err := rows.Scan(into...); err != nil {
		return "", err
	}
	for i, n := range names {
		if n == name {
			return string(row[i]), rows.Err()
		}
	}
	return "", rows.Err()
}
