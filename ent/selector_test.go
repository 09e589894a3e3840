package ent_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
)

func TestSelectorModifiers(t *testing.T) {
	above := func(s *sql.Selector) { ent.Above(s, "a", "id", 1, 2) }
	below := func(s *sql.Selector) { ent.Below(s, "a", "id", 1, 2) }
	upTo := func(s *sql.Selector) { ent.UpTo(s, "a", "id", 1, 2) }
	for _, tc := range []struct {
		name          string
		modify        func(*sql.Selector)
		mysql, sqlite string
	}{
		{name: "ForUpdate", modify: ent.ForUpdate, mysql: "SELECT * FROM `t` FOR UPDATE", sqlite: "SELECT * FROM `t`"},
		{name: "NoLock", modify: ent.NoLock, mysql: "SELECT * FROM `t`", sqlite: "SELECT * FROM `t`"},
		{name: "ForceIndex", modify: ent.ForceIndex(ent.Primary), mysql: "SELECT * FROM `t` FORCE INDEX (`PRIMARY`)",
			sqlite: "SELECT * FROM `t` INDEXED BY `sqlite_autoindex_t_1`"},
		{name: "ForceIndex by another", modify: ent.ForceIndex("i"), mysql: "SELECT * FROM `t` FORCE INDEX (`i`)",
			sqlite: "SELECT * FROM `t` INDEXED BY `i`"},
		{name: "ForceIndex without a name", modify: ent.ForceIndex(""), mysql: "SELECT * FROM `t`",
			sqlite: "SELECT * FROM `t`"},
		{name: "Above", modify: above,
			mysql:  "SELECT * FROM `t` WHERE `a` >= ? AND (`a` > ? OR (`a` = ? AND `id` > ?))",
			sqlite: "SELECT * FROM `t` WHERE (`a`, `id`) > (?, ?)"},
		{name: "Below", modify: below,
			mysql:  "SELECT * FROM `t` WHERE `a` <= ? AND (`a` < ? OR (`a` = ? AND `id` < ?))",
			sqlite: "SELECT * FROM `t` WHERE (`a`, `id`) < (?, ?)"},
		{name: "UpTo", modify: upTo,
			mysql:  "SELECT * FROM `t` WHERE `a` <= ? AND (`a` < ? OR (`a` = ? AND `id` <= ?))",
			sqlite: "SELECT * FROM `t` WHERE (a, id) <= (?, ?)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for engine, want := range map[string]string{dialect.MySQL: tc.mysql, dialect.SQLite: tc.sqlite} {
				s := sql.Dialect(engine).Select().From(sql.Table("t"))
				tc.modify(s)
				if got, _ := s.Query(); got != want {
					t.Errorf("%s: got %s, want %s", engine, got, want)
				}
			}
		})
	}
}

// A read with a hint still qualifies its columns with the table.
func TestForceIndexKeepsTheName(t *testing.T) {
	s := sql.Dialect(dialect.MySQL).Select().From(sql.Table("t"))
	ent.ForceIndex("i")(s)
	if got := s.C("id"); got != "`t`.`id`" {
		t.Errorf("the column is %s", got)
	}
}

func TestIndexHint(t *testing.T) {
	for _, tc := range []struct{ engine, index, want string }{
		{dialect.MySQL, "i", " FORCE INDEX (`i`)"},
		{dialect.MySQL, ent.Primary, " FORCE INDEX (`PRIMARY`)"},
		{dialect.SQLite, "i", " INDEXED BY `i`"},
		{dialect.SQLite, ent.Primary, " INDEXED BY `sqlite_autoindex_t_1`"},
	} {
		if got := ent.IndexHint(tc.engine, "t", tc.index); got != tc.want {
			t.Errorf("%s, %q: %q, want %q", tc.engine, tc.index, got, tc.want)
		}
	}
}

func TestClock(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		var now int64
		if err := scanOne(t.Context(), s, "SELECT "+ent.Clock(s.Dialect()), &now); err != nil {
			t.Fatal(err)
		}
		if off := time.Duration(int64(micros.Now())-now) * time.Microsecond; off.Abs() > time.Minute {
			t.Errorf("the clock is %v away from ours", off)
		}
		if strings.Contains(ent.Clock(s.Dialect()), "?") {
			t.Error("the expression takes an argument")
		}
	})
}

func TestTexts(t *testing.T) {
	for _, tc := range []struct{ engine, among, part, accumulate string }{
		{dialect.MySQL, "(a, b) IN ((?, ?), (?, ?))", "(q)",
			" ON DUPLICATE KEY UPDATE n = n + VALUES(n), top = GREATEST(top, VALUES(top))"},
		{dialect.SQLite, "(a, b) IN (VALUES (?, ?), (?, ?))", "SELECT * FROM (q) AS part",
			" ON CONFLICT (id) DO UPDATE SET n = n + excluded.n, top = MAX(top, excluded.top)"},
	} {
		if got := ent.Among(tc.engine, "a, b", 2); got != tc.among {
			t.Errorf("%s: %q, want %q", tc.engine, got, tc.among)
		}
		if got := ent.Among(tc.engine, "a, b", 1); got != "a = ? AND b = ?" {
			t.Errorf("%s: %q, want a plain comparison", tc.engine, got)
		}
		if before, after := ent.Part(tc.engine); before+"q"+after != tc.part {
			t.Errorf("%s: %q and %q, want %q", tc.engine, before, after, tc.part)
		}
		if got := ent.Accumulate(tc.engine, "id", []string{"n"}, "top"); got != tc.accumulate {
			t.Errorf("%s: %q, want %q", tc.engine, got, tc.accumulate)
		}
	}
}

func scanOne(ctx context.Context, s *ent.Store, query string, into any) error {
	rows, err := s.DB(ctx).QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(into); err != nil {
			return err
		}
	}
	return rows.Err()
}
