package ent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"entgo.io/ent/dialect"
	"modernc.org/sqlite"
)

// backupPages is the number of pages copied between two checks of the context.
const backupPages = 1024

// Backup copies a SQLite database as of one moment into a new file with mode 0600. Readers and
// writers are not blocked; only the write-ahead log grows until the copy is complete.
func (s *Store) Backup(ctx context.Context, path string) error {
	if s.dialect != dialect.SQLite {
		return errors.New("the program can only copy SQLite databases")
	}
	if err := s.backup(ctx, path); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

func (s *Store) backup(ctx context.Context, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // SQLite would let other users read it
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return err
	}
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return &unavailableError{err}
	}
	defer conn.Close()
	// Within a transaction the pages stay as of its first read, so the copy never starts over.
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it has changed nothing
	var tables int
	if err := tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	return conn.Raw(func(c any) error { return copyPages(ctx, c, path) })
}

func copyPages(ctx context.Context, c any, path string) error {
	prepared, ok := c.(*preparedConn)
	if !ok {
		return fmt.Errorf("unexpected connection type %T", c)
	}
	source, ok := prepared.sqliteConn.(interface {
		NewBackup(to string) (*sqlite.Backup, error)
	})
	if !ok {
		return fmt.Errorf("%T cannot be copied from", prepared.sqliteConn)
	}
	b, err := source.NewBackup(sqliteURI(path))
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			more, err = b.Step(backupPages)
		}
	}
	return errors.Join(err, b.Finish())
}

// DumpCommand returns the command that dumps a MySQL or MariaDB database as of one moment. It does
// not contain the password but asks for it. For SQLite it is "".
func (c Config) DumpCommand() string {
	t, err := parseTarget(c.Database)
	if err != nil || t.path != "" {
		return ""
	}
	place := "--socket=" + t.hosts[0].addr
	if host, port, err := net.SplitHostPort(t.hosts[0].addr); err == nil && t.hosts[0].network == "tcp" {
		place = "--host=" + host + " --port=" + port
	}
	return "mariadb-dump --single-transaction --quick --hex-blob --default-character-set=utf8mb4 " + place +
		" --user=" + t.user + " --password " + t.name
}
