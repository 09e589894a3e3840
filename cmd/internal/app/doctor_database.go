package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/storehandle"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/graph/domain/merchant"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// Significant clock differences: credentials are cached for seconds, and receivers of webhooks
// tolerate five minutes.
const (
	clockWarn = 5 * time.Second
	clockFail = time.Minute
)

func diagnoseDatabase(ctx context.Context, c Config, ring *keyring.Ring) []Finding {
	st := c.Storage
	if path := st.SQLitePath(); path != "" {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return []Finding{ok("database", "%s does not exist yet; serve creates it", path)}
		}
	}
	s, err := ent.Open(ctx, ent.Config{Database: st.Address(), MaxOpen: 2})
	if err != nil {
		return []Finding{
			fail("database", firstLine(err),
				"check that the server runs and that --database names its host, user, password and database"),
		}
	}
	defer func() { _ = s.Close() }() // it was only read
	list := []Finding{ok("database", "%s answers", s.Redacted()), diagnoseVersion(ctx, s)}
	list = append(list, diagnoseSchema(ctx, s), diagnoseClock(ctx, s))
	list = append(list, diagnoseSealed(ctx, s, ring)...)
	list = append(list, diagnoseEvents(ctx, s)...)
	list = append(list, diagnoseHandles(ctx, s)...)
	return append(list, diagnoseDomains(ctx, s, c, ring)...)
}

// diagnoseHandles looks for stores whose host is the service's: they were created before such
// handles were refused. A schema without the table has no stores.
func diagnoseHandles(ctx context.Context, s *ent.Store) []Finding {
	rows, err := s.DB(ctx).StoreHandle.Query().Where(storehandle.IDIn(merchant.ReservedHandles()...)).All(ctx)
	if err != nil || len(rows) == 0 {
		return nil
	}
	handles := make([]string, len(rows))
	for i, row := range rows {
		handles[i] = row.ID
	}
	return []Finding{warn("handles", "some stores have handles that are reserved for the service: "+strings.Join(handles, ", "),
		"ask their owners to move to a store with another handle: the host name may be needed, or mislead people")}
}

// diagnoseEvents looks for events that could not be relayed to webhooks.
func diagnoseEvents(ctx context.Context, s *ent.Store) []Finding {
	hooks, err := webhook.New(webhook.Config{Store: s})
	if err != nil {
		return []Finding{fail("events", firstLine(err), "")}
	}
	list, err := hooks.EventsSetAside(ctx)
	if err != nil || len(list) == 0 {
		return nil
	}
	found := fmt.Sprintf("%d could not be relayed to webhooks: %s (%s)", len(list), list[0].Row, list[0].Found)
	if len(list) > 1 {
		found += ", …"
	}
	return []Finding{fail("events", found, "`storefront doctor deliveries` lists all of them; fix the cause, then run "+
		"`storefront webhooks requeue`")}
}

func diagnoseVersion(ctx context.Context, s *ent.Store) Finding {
	v, err := s.Version(ctx)
	if err != nil {
		return fail("version", firstLine(err), "check the database's own log")
	}
	return judgeVersion(v)
}

var numbers = regexp.MustCompile(`(\d+)\.(\d+)`)

// judgeVersion checks for the oldest supported versions: MySQL 8.4 and MariaDB 10.11 (contract,
// section 11). Tests run on MySQL 9.7 and MariaDB 10.11.
func judgeVersion(v string) Finding {
	name, major, minor := "MySQL", 8, 4
	switch lower := strings.ToLower(v); {
	case strings.HasPrefix(v, "SQLite"):
		return ok("version", "%s", v)
	case strings.Contains(lower, "mariadb"):
		name, major, minor = "MariaDB", 10, 11
	case strings.Contains(lower, "tidb"), strings.Contains(lower, "vitess"):
		return warn("version", v+" speaks MySQL's protocol",
			"nothing, if this is intended; tests run on MySQL 9.7 and MariaDB 10.11")
	}
	m := numbers.FindStringSubmatch(v)
	if m == nil {
		return warn("version", v+" is an unknown database", "use MySQL 8.4 or later, or MariaDB 10.11 or later; tests run on MySQL 9.7 and MariaDB 10.11")
	}
	a, _ := strconv.Atoi(m[1])
	b, _ := strconv.Atoi(m[2])
	if a < major || a == major && b < minor {
		return fail("version", v+" is too old", fmt.Sprintf("upgrade to %s %d.%d or later", name, major, minor))
	}
	return ok("version", "%s", v)
}

func diagnoseSchema(ctx context.Context, s *ent.Store) Finding {
	st, err := migrate.Check(ctx, s)
	if err != nil {
		return fail("migrations", firstLine(err), "restore the released migrations: reinstall the program")
	}
	return judgeSchema(st, s.Dialect() == dialect.SQLite)
}

func judgeSchema(st migrate.Status, sqlite bool) Finding {
	pending := fmt.Sprintf("%d pending: %s", len(st.Pending), strings.Join(st.Pending, ", "))
	switch {
	case len(st.Unknown) > 0:
		return fail("migrations", "applied by a newer program: "+strings.Join(st.Unknown, ", "),
			"run that version of the program or a later one")
	case st.Failed != "":
		return fail("migrations", pending+"; the first one failed halfway: "+st.Failed,
			"fix the cause, then run `storefront migrate apply`")
	case len(st.Pending) > 0 && !sqlite:
		return fail("migrations", pending, "run `storefront migrate apply`, or start with --migrate")
	case len(st.Pending) > 0:
		return ok("migrations", "%s; serve applies them", pending)
	}
	if len(st.Newer) > 0 {
		return ok("migrations", "current at %s; a newer program has added %s", st.Current, strings.Join(st.Newer, ", "))
	}
	return ok("migrations", "current at %s", st.Current)
}

func diagnoseClock(ctx context.Context, s *ent.Store) Finding {
	began := time.Now()
	server, err := s.ServerTime(ctx)
	if err != nil {
		return fail("clock", firstLine(err), "check the database's own log")
	}
	// Assume that the server read its clock half-way through the round trip.
	return judgeClock(server.Sub(began.Add(time.Since(began) / 2)))
}

func judgeClock(difference time.Duration) Finding {
	found := "the database's clock differs by " + difference.Round(time.Millisecond).String()
	const remedy = "synchronize the clocks of this machine and of the database's machine with NTP"
	switch difference = difference.Abs(); {
	case difference > clockFail:
		return fail("clock", found, remedy)
	case difference > clockWarn:
		return warn("clock", found, remedy)
	}
	return ok("clock", "%s", found)
}

func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
