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

// dataset is a filled database.
type dataset struct {
	engine  string
	address string
	corpus  *corpus.Corpus
	// pid is the database server's; zero for SQLite.
	pid   int
	close func() error
}

// store keeps the data of one or more sizes in a folder, so that it is loaded once.
type store struct {
	dir  string
	size corpus.Size
	anew bool // load it even where it was loaded before
	// kept leaves the schema as it is: the data is that of another program.
	kept bool
}

// prepareCommand loads the data.
type prepareCommand struct{ dataFlags }

// dataFlags say which data, and where it is kept.
type dataFlags struct {
	Engine string `enum:"sqlite,mariadb,both" default:"both" help:"Database: ${enum}."`
	Data   string `type:"path" help:"Folder that keeps the data between runs; its path must be short. Default: a folder in the temporary one."`
	Orders int    `default:"1000000" help:"Orders in all stores, two lines each."`
}

// Run loads what is missing.
func (c *prepareCommand) Run(ctx context.Context) error {
	for _, engine := range c.engines() {
		d, err := c.store().open(ctx, engine)
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

func (f dataFlags) engines() []string {
	if f.Engine == "both" {
		return []string{"sqlite", "mariadb"}
	}
	return []string{f.Engine}
}

func (f dataFlags) store() store {
	dir := f.Data
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "storefront-loadgen")
	}
	size := corpus.Million
	if f.Orders != size.Orders {
		size = size.Scaled(f.Orders)
	}
	return store{dir: dir, size: size}
}

// open returns the data of an engine, loading it at the first time.
func (s store) open(ctx context.Context, engine string) (*dataset, error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, err
	}
	d := &dataset{engine: engine, close: func() error { return nil }}
	note := filepath.Join(s.dir, engine+"-"+strconv.Itoa(s.size.Orders)+".json")
	var found bool
	var err error
	if d.corpus, found, err = corpus.Load(note, s.size); err != nil {
		return nil, err
	}
	if s.kept { // of whatever version
		found = d.corpus != nil && d.corpus.Size == s.size
	}
	found = found && !s.anew
	if !found {
		d.corpus = nil // of another version or size
	}
	if s.kept && !found {
		return nil, fmt.Errorf("%s: no data of %d orders; the other program's loadgen prepares it", s.dir, s.size.Orders)
	}
	place := s.sqlite
	if engine == "mariadb" {
		place = s.mariadb
	}
	if err := place(ctx, d, !found); err != nil {
		return nil, err
	}
	if s.kept {
		return d, nil
	}
	if err := d.ready(ctx, s.size, note); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// sqlite places the data in a file; anew removes what is there.
func (s store) sqlite(_ context.Context, d *dataset, anew bool) error {
	path := filepath.Join(s.dir, "sqlite-"+strconv.Itoa(s.size.Orders)+".db")
	d.address = "sqlite:" + path
	if !anew {
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
func (s store) mariadb(ctx context.Context, d *dataset, anew bool) error {
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
	if anew {
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

// drop removes a database that an earlier version filled.
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

// ready brings the schema up to date, since the data may be older than the
// program, and fills a new database.
func (d *dataset) ready(ctx context.Context, size corpus.Size, note string) error {
	s, err := ent.Open(ctx, ent.Config{Database: d.address})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := migrate.Apply(ctx, s); err != nil || d.corpus != nil {
		return err
	}
	return d.fill(ctx, s, size, note)
}

// fill writes the description last: data without one is not used.
func (d *dataset) fill(ctx context.Context, s *ent.Store, size corpus.Size, note string) (err error) {
	fmt.Fprintf(os.Stderr, "loading %d orders into %s\n", size.Orders, s.Redacted())
	d.corpus, err = corpus.Fill(ctx, s, size, func(shop, of int) {
		if shop == 1 || shop == of {
			fmt.Fprintf(os.Stderr, "store %d of %d is loaded\n", shop, of)
		}
	})
	if err != nil {
		return err
	}
	return d.corpus.Save(note)
}
