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
	WithoutSecret bool   `help:"Leave the root secret of the data folder out."`
}

// Help implements kong.HelpProvider.
func (backupCmd) Help() string {
	return `Writes the SQLite database, as it is at one moment, and the files of the blob store into one file with mode ` +
		`0600, with a checksum of each. Servers and dispatchers go on; the copy of the database takes its size on the disk ` +
		`of FILE meanwhile.

The root secret in the data folder is in the file too, since without it nothing that it sealed can be opened again: ` +
		`secrets of webhooks and of accounts with payment providers, second factors, kept answers. So keep the file as you ` +
		`keep the secret, or leave the secret out with --without-secret and keep it elsewhere. A secret that comes from ` +
		`STOREFRONT_SECRET_KEY or STOREFRONT_SECRET_KEY_FILE is never in the file. Files in S3 are left to the versions ` +
		`of their bucket.

For MySQL and MariaDB it says what to run instead, and fails.

Examples:

    storefront backup /backups/storefront-$(date +%F).tar.gz
    storefront backup --without-secret --json nightly.tar.gz
`
}

// Run backs up.
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

// remote reports whether the files of the blob store are in S3.
func (c *backupCmd) remote() bool { return strings.HasPrefix(c.Blobs, "s3:") }

func (c *backupCmd) secretWords(m *backup.Manifest) string {
	if m.Secret {
		return "in the file: whoever has it can open what is sealed"
	}
	return "NOT in the file: without it nothing that it sealed can be opened again, so keep it elsewhere"
}

func (c *backupCmd) blobWords() string {
	if c.remote() {
		return "NOT in the file: they are in S3, whose bucket should keep versions"
	}
	return "in the file"
}

// advise prints how to back up a database that the command cannot copy.
func (c *backupCmd) advise(s *session, command string) error {
	blobs := "the folder " + filepath.Join(c.Data, "blobs")
	if c.Blobs != "" {
		blobs = c.Blobs + ", unless its bucket keeps versions"
	}
	secret := filepath.Join(c.Data, keyring.FileName)
	if c.SecretKey != "" {
		secret = "the secret of STOREFRONT_SECRET_KEY"
	}
	_, err := fmt.Fprintf(s.out, `The database is a server's, which copies it best itself. In this order, while everything runs:

 1. the database, as it is at one moment:

    %s > storefront.sql

 2. then the files: %s
 3. and, apart from both, %s, without which nothing that it sealed can be opened again.

To bring it back, feed storefront.sql to an empty database, put the files and the secret in their places, and start.
`, command, blobs, secret)
	return errors.Join(err, errors.New("no backup was made: see what to run for MySQL and MariaDB"))
}

type restoreCmd struct {
	output
	Data          string `default:"./storefront-data" env:"STOREFRONT_DATA" placeholder:"DIR" help:"The folder that gets the data; it is empty, or made (default ${default})."`
	File          string `arg:"" type:"existingfile" help:"The file that storefront backup wrote."`
	WithoutSecret bool   `help:"Restore although the root secret is not there: what it sealed is lost."`
}

// Help implements kong.HelpProvider.
func (restoreCmd) Help() string {
	return `Unpacks a backup into an empty data folder: the SQLite database, the files of the blob store, and the root ` +
		`secret where it is in the file. Every checksum is verified first; when anything is wrong nothing is left, and a ` +
		`folder in which a restore was killed is not served.

Where the secret is not in the file, give the one of the time in STOREFRONT_SECRET_KEY_FILE or STOREFRONT_SECRET_KEY, as ` +
		`serve takes it.

Examples:

    storefront restore /backups/storefront-2026-01-31.tar.gz
    storefront restore --data /var/lib/storefront /backups/storefront-2026-01-31.tar.gz
`
}

// Run restores.
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
		blobs = "none: they were in S3; name the bucket with --blobs"
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
		return errors.New("the root secret is not in the backup: give it in STOREFRONT_SECRET_KEY_FILE, or go without " +
			"what it sealed by --without-secret")
	}
	ring, err := st.Ring()
	if err != nil {
		return err
	}
	if len(m.KeyIDs) > 0 && !slices.Contains(ring.KeyIDs(), byte(m.KeyIDs[0])) {
		return errors.New("the root secret of STOREFRONT_SECRET_KEY is not the one that the backup was sealed with; " +
			"--without-secret restores nevertheless")
	}
	return nil
}

// judgeDatabase refuses a database that is damaged or newer than the program.
func judgeDatabase(ctx context.Context, dir string) error {
	path := filepath.Join(dir, "storefront.db")
	if _, err := os.Stat(path); err != nil {
		return errors.New("the backup holds no database")
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
		err = errors.New("a newer version of the program wrote the backup: restore with that one")
	}
	return errors.Join(err, checkErr, store.Close())
}
