package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/backup"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

type backupCmd struct {
	app.Storage
	output
	File          string `arg:"" help:"The new file, such as storefront-monday.tar.gz."`
	WithoutSecret bool   `help:"Leave out the root secret of the data folder."`
}

func (c *backupCmd) Run(s *session) error {
	if err := s.storage(&c.Storage); err != nil {
		return err
	}
	if command := (ent.Config{Database: c.Address()}).DumpCommand(); command != "" {
		return c.advise(s, command)
	}
	if _, err := os.Stat(c.SQLitePath()); err != nil {
		return fmt.Errorf("there is no database: %w", err)
	}
	return withStore(s, c.Storage, func(store *ent.Store) error { return c.keep(s, store) })
}

func (c *backupCmd) keep(s *session, store *ent.Store) error {
	st, err := migrate.Check(s.ctx, store)
	if err != nil {
		return err
	}
	ring, err := c.Ring()
	if err != nil {
		return err
	}
	source := backup.Source{Store: store, KeyIDs: ring.KeyIDs(), Program: s.build.Version, Migration: st.Current}
	if c.SecretKey == "" && !c.WithoutSecret {
		source.Secret = filepath.Join(c.Data, keyring.FileName)
	}
	if !c.remote() {
		if source.Blobs, err = blob.Open(s.ctx, c.Blobs, filepath.Join(c.Data, "blobs")); err != nil {
			return err
		}
		defer func() { _ = source.Blobs.Close() }() // nothing was written to it
	}
	m, err := backup.Write(s.ctx, c.File, source)
	if err != nil {
		return err
	}
	return c.print(s, m, table{{"file", c.File}, {"files", strconv.FormatInt(m.Files, 10)},
		{"bytes", strconv.FormatInt(m.Bytes, 10)}, {"root secret", c.secretWords(m)}, {"blobs", c.blobWords()}})
}

func (c *backupCmd) remote() bool { return strings.HasPrefix(c.Blobs, "s3:") }

func (c *backupCmd) secretWords(m *backup.Manifest) string {
	if m.Secret {
		return "in the file: anyone who has the file can decrypt its secrets"
	}
	return "NOT in the file: store it elsewhere, since encrypted data cannot be read without it"
}

func (c *backupCmd) blobWords() string {
	if c.remote() {
		return "NOT in the file: they are in S3; enable versioning of the bucket"
	}
	return "in the file"
}

func (c *backupCmd) advise(s *session, command string) error {
	blobs := "the folder " + filepath.Join(c.Data, "blobs")
	if c.Blobs != "" {
		blobs = c.Blobs + ", unless its bucket keeps versions"
	}
	secret := filepath.Join(c.Data, keyring.FileName)
	if c.SecretKey != "" {
		secret = "the secret of STOREFRONT_SECRET_KEY"
	}
	_, err := fmt.Fprintf(s.out, `The database server makes its own backups. Back up in this order, while everything runs:

 1. the database, as it is at one moment:

    %s > storefront.sql

 2. the files: %s
 3. in a separate place, %s, without which encrypted data cannot be read.

To restore, load storefront.sql into an empty database, put the files and the secret back, and start.
`, command, blobs, secret)
	return errors.Join(err, errors.New("no backup was made: use the commands above for MySQL and MariaDB"))
}

type restoreCmd struct {
	output
	Data          string `default:"./storefront-data" env:"STOREFRONT_DATA" placeholder:"DIR" help:"The data folder to create; it must be empty or absent (default ${default})."`
	File          string `arg:"" type:"existingfile" help:"The file that storefront backup wrote."`
	WithoutSecret bool   `help:"Restore without the root secret; data that it encrypted is lost."`
}

func (c *restoreCmd) Run(s *session) error {
	st := app.Storage{Data: c.Data}
	if err := s.storage(&st); err != nil {
		return err
	}
	m, err := backup.Restore(s.ctx, c.File, c.Data, func(m *backup.Manifest, unpacked string) error {
		return errors.Join(c.judgeSecret(st, m), judgeDatabase(s.ctx, unpacked))
	})
	if err != nil {
		return err
	}
	blobs := "as they were"
	if !m.Blobs {
		blobs = "none: they were in S3; pass the bucket with --blobs"
	}
	return c.print(s, m, table{{"data", c.Data}, {"of", m.CreatedAt.Format(time.RFC3339)},
		{"files", strconv.FormatInt(m.Files, 10)}, {"blobs", blobs}, {"next", "storefront doctor, then storefront serve"}})
}

// judgeSecret refuses data whose root secret would be missing.
func (c *restoreCmd) judgeSecret(st app.Storage, m *backup.Manifest) error {
	if c.WithoutSecret || st.SecretKey == "" && m.Secret {
		return nil
	}
	if st.SecretKey == "" {
		return errors.New("the root secret is not in the backup: set STOREFRONT_SECRET_KEY_FILE, or give up encrypted data " +
			"with --without-secret")
	}
	ring, err := st.Ring()
	if err != nil {
		return err
	}
	if len(m.KeyIDs) > 0 && !slices.Contains(ring.KeyIDs(), byte(m.KeyIDs[0])) {
		return errors.New("the root secret of STOREFRONT_SECRET_KEY is not the one of the backup; " +
			"--without-secret restores it anyway")
	}
	return nil
}

// judgeDatabase refuses a database that is damaged or newer than the program.
func judgeDatabase(ctx context.Context, dir string) error {
	path := filepath.Join(dir, "storefront.db")
	if _, err := os.Stat(path); err != nil {
		return errors.New("the backup contains no database")
	}
	store, err := ent.Open(ctx, ent.Config{Database: "sqlite:" + path})
	if err != nil {
		return err
	}
	found := ""
	err = store.Admin(ctx, func(conn *sql.Conn) error {
		return conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found)
	})
	if err == nil && found != "ok" {
		err = fmt.Errorf("the database in the backup is damaged: %s", found)
	}
	st, checkErr := migrate.Check(ctx, store)
	if err == nil && checkErr == nil && len(st.Unknown) > 0 {
		err = errors.New("a newer version of the program wrote the backup: restore it with that version")
	}
	return errors.Join(err, checkErr, store.Close())
}
