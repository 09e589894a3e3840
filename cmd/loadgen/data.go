package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

type dataset struct {
	engine  string
	address string
	corpus  *corpus.Corpus
	// pid is the database server's; zero for SQLite.
	pid   int
	close func() error
}

// store is a folder that keeps the data of some sizes, so that it is loaded once.
type store struct {
	dir   string
	size  corpus.Size
	fresh bool // load the data again
	// foreign data belongs to another build; its schema is left as it is.
	foreign bool
}

type prepareCommand struct {
	place
	Orders int `default:"1000000" help:"Orders in all stores, two lines each."`
}

func (c *prepareCommand) Run(ctx context.Context) error {
	for _, engine := range c.engines() {
		d, err := store{dir: c.dir(), size: sized(c.Orders)}.open(ctx, engine)
		if err != nil {
			return err
		}
		fmt.Println(d.address)
		if err := d.close(); err != nil {
			return err
		}
	}
	return nil
}

func sized(orders int) corpus.Size {
	if orders == corpus.Million.Orders {
		return corpus.Million
	}
	return corpus.Million.Scaled(orders)
}

// open returns the data of an engine, loading it at the first time.
func (s store) open(ctx context.Context, engine string) (*dataset, error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, err
	}
	d := &dataset{engine: engine, close: func() error { return nil }}
	note := filepath.Join(s.dir, engine+"-"+strconv.Itoa(s.size.Orders)+".json")
	known, found, err := corpus.Load(note, s.size)
	switch {
	case err != nil:
		return nil, err
	case s.foreign && (known == nil || known.Size != s.size):
		return nil, fmt.Errorf("%s: no data of %d orders; run prepare of the other build", s.dir, s.size.Orders)
	case s.foreign || found && !s.fresh:
		d.corpus = known
	}
	place := s.sqlite
	if engine == "mariadb" {
		place = s.mariadb
	}
	if err := place(ctx, d); err != nil || s.foreign {
		return d, err
	}
	if err := d.ready(ctx, s.size, note); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// sqlite places the data in a file, without older data.
func (s store) sqlite(_ context.Context, d *dataset) error {
	path := filepath.Join(s.dir, "sqlite-"+strconv.Itoa(s.size.Orders)+".db")
	d.address = "sqlite:" + path
	if d.corpus != nil {
		return nil
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// mariadb starts a private server whose commits are durable.
func (s store) mariadb(ctx context.Context, d *dataset) error {
	dir := filepath.Join(s.dir, "mariadb")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	server, err := mariadb.Start(dir, append(mariadb.Durable, "--innodb-buffer-pool-size=2G")...)
	if err != nil {
		return err
	}
	d.close = server.Close
	name := "load_" + strconv.Itoa(s.size.Orders)
	d.address = server.DSN(name)
	if d.corpus == nil {
		if err := drop(ctx, server.DSN("mysql"), name); err != nil {
			return err
		}
		if _, err := server.Create(ctx, name); err != nil {
			return err
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		return err
	}
	d.pid, err = strconv.Atoi(strings.TrimSpace(string(b)))
	return err
}

func drop(ctx context.Context, address, name string) error {
	s, err := ent.Open(ctx, ent.Config{Database: address})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Admin(ctx, func(c *sql.Conn) error {
		_, err := c.ExecContext(ctx, "DROP DATABASE IF EXISTS `"+name+"`")
		return err
	})
}

// ready migrates the schema and fills a new database. The description completes the data.
func (d *dataset) ready(ctx context.Context, size corpus.Size, note string) error {
	s, err := ent.Open(ctx, ent.Config{Database: d.address})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := migrate.Apply(ctx, s); err != nil || d.corpus != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "loading %d orders into %s\n", size.Orders, s.Redacted())
	if d.corpus, err = corpus.Fill(ctx, s, size); err != nil {
		return err
	}
	return d.corpus.Save(note)
}
