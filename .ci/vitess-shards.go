//go:build ignore

// Command vitess-shards prepares the databases of a Vitess cluster's shards for
// .ci/vitess, directly below it, or waits until the cluster answers.
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
)

func main() {
	socket := flag.String("socket", "", "the socket of MySQL, whose shards are to be prepared")
	shards := flag.String("shards", "", "the names of the shards")
	empty := flag.Bool("empty", false, "leave no row in the tables: they are to be copied from other shards")
	wait := flag.String("wait", "", "the address of a cluster that is to answer")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var err error
	if *wait != "" {
		err = answers(ctx, *wait)
	} else {
		var g errgroup.Group
		for name := range strings.FieldsSeq(*shards) {
			g.Go(func() error { return prepare(ctx, *socket, "vt_"+name, *empty) })
		}
		err = g.Wait()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// prepare makes the database of a shard and all of its tables.
func prepare(ctx context.Context, socket, name string, empty bool) error {
	at := "mysql://root@unix(" + socket + ")/"
	admin, err := patiently(ctx, at+"mysql")
	if err != nil {
		return err
	}
	defer admin.Close()
	err = run(ctx, admin, "CREATE DATABASE IF NOT EXISTS `"+name+"` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	if err != nil {
		return err
	}
	shard, err := ent.Open(ctx, ent.Config{Database: at + name, MaxOpen: 2})
	if err != nil {
		return err
	}
	defer shard.Close()
	if _, err := migrate.Apply(ctx, shard); err != nil {
		return fmt.Errorf("shard %s: %w", name, err)
	}
	lookups, err := os.ReadFile("ent/migrate/vitess/lookup.sql")
	if err != nil {
		return err
	}
	for statement := range strings.SplitSeq(strings.TrimSpace(string(lookups)), ";\n") {
		if err := run(ctx, shard, strings.TrimSuffix(statement, ";")); err != nil {
			return fmt.Errorf("shard %s: %w", name, err)
		}
	}
	if !empty {
		return nil
	}
	for _, table := range []string{"schema_revisions", ent.FormatTable} {
		if err := run(ctx, shard, "DELETE FROM "+table); err != nil {
			return fmt.Errorf("shard %s: %w", name, err)
		}
	}
	return nil
}

func run(ctx context.Context, s *ent.Store, statement string) error {
	return s.Admin(ctx, func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, statement)
		return err
	})
}

// answers waits for the whole schema behind an address.
func answers(ctx context.Context, address string) error {
	s, err := patiently(ctx, address)
	if err != nil {
		return err
	}
	defer s.Close()
	st, err := migrate.Check(ctx, s)
	for ctx.Err() == nil && (err != nil || len(st.Pending) > 0) {
		time.Sleep(100 * time.Millisecond)
		st, err = migrate.Check(ctx, s)
	}
	return err
}

// patiently opens a database that is starting.
func patiently(ctx context.Context, address string) (*ent.Store, error) {
	for {
		s, err := ent.Open(ctx, ent.Config{Database: address, MaxOpen: 2})
		if err == nil || ctx.Err() != nil {
			return s, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
