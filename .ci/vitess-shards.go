//go:build ignore

// Command vitess-shards prepares and checks the databases of a Vitess cluster's shards
// for .ci/vitess, directly below it, or waits until the cluster answers.
package main

import (
	"context"
	"crypto/md5"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
)

func main() {
	socket := flag.String("socket", "", "the socket of MySQL with the databases of shards")
	shards := flag.String("shards", "", "names of the shards whose tables to create")
	empty := flag.Bool("empty", false, "leave the tables empty: their rows will be copied from other shards")
	checked := flag.Bool("check", false, "count rows instead, and search for misplaced ones")
	wait := flag.String("wait", "", "the address of a cluster that is to answer")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var g errgroup.Group
	for name := range strings.FieldsSeq(*shards) {
		at := "mysql://root@unix(" + *socket + ")/"
		g.Go(func() error {
			if *checked {
				return check(ctx, at, name)
			}
			return prepare(ctx, at, "vt_"+name, *empty)
		})
	}
	err := g.Wait()
	if *wait != "" {
		err = answers(ctx, *wait)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// prepare creates the database of a shard and all of its tables.
func prepare(ctx context.Context, at, name string, empty bool) error {
	admin, err := openRetrying(ctx, at+"mysql")
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
	if err := migrate.MakeLookups(ctx, shard); err != nil {
		return fmt.Errorf("shard %s: %w", name, err)
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

// check counts the rows of a shard, and the misplaced ones: rows whose hash belongs to another
// shard, and rows that belong to the first shard.
func check(ctx context.Context, at, shard string) error {
	s, err := ent.Open(ctx, ent.Config{Database: at + "vt_" + shard, MaxOpen: 2})
	if err != nil {
		return err
	}
	defer s.Close()
	text, err := migrate.VSchema()
	if err != nil {
		return err
	}
	var k struct {
		Tables map[string]struct {
			Pinned  string
			Columns []struct{ Column string } `json:"column_vindexes"`
		}
	}
	if err := json.Unmarshal(text, &k); err != nil {
		return err
	}
	from, to, _ := strings.Cut(shard, "-")
	var all, orders, elsewhere int
	for name, t := range k.Tables {
		query := "SELECT `" + t.Columns[0].Column + "`, COUNT(*) FROM `" + name + "` GROUP BY 1"
		err := each(ctx, s, query, func(owner []byte, rows int) {
			hash := t.Pinned
			if hash == "" {
				hash = fmt.Sprintf("%x", md5.Sum(owner))
			}
			if all += rows; hash < from || to != "" && hash >= to {
				elsewhere += rows
			}
			if name == "orders" {
				orders += rows
			}
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	fmt.Printf("shard %s: %d rows, %d of them orders, %d not at their place\n", shard, all, orders, elsewhere)
	if all == 0 || elsewhere > 0 {
		return fmt.Errorf("shard %s: %d of %d rows are not at their place", shard, elsewhere, all)
	}
	return nil
}

func each(ctx context.Context, s *ent.Store, query string, f func(key []byte, rows int)) error {
	return s.Admin(ctx, func(conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var key []byte
			var n int
			if err := rows.Scan(&key, &n); err != nil {
				return err
			}
			f(key, n)
		}
		return rows.Err()
	})
}

// answers waits until an address serves the whole schema.
func answers(ctx context.Context, address string) error {
	s, err := openRetrying(ctx, address)
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

// openRetrying opens a database, retrying while it starts.
func openRetrying(ctx context.Context, address string) (*ent.Store, error) {
	for {
		s, err := ent.Open(ctx, ent.Config{Database: address, MaxOpen: 2})
		if err == nil || ctx.Err() != nil {
			return s, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
