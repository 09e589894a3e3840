package main

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/fleet"
)

type fleetCmd struct {
	app.Storage
	output
}

func (c *fleetCmd) Run(s *session) error {
	return withCurrent(s, c.Storage, func(store *ent.Store) error {
		v, err := fleet.Inspect(s.ctx, store)
		if err != nil {
			return err
		}
		return c.show(s, v)
	})
}

func (c *fleetCmd) show(s *session, v *fleet.View) error {
	if c.JSON {
		return c.print(s, v, nil)
	}
	for i, t := range []table{processes(v), leases(v), waiting(v)} {
		if i > 0 {
			if _, err := fmt.Fprintln(s.out); err != nil {
				return err
			}
		}
		if err := c.print(s, nil, t); err != nil {
			return err
		}
	}
	return nil
}

func processes(v *fleet.View) table {
	rows := table{{"PROCESS", "ROLE", "HOST", "PID", "VERSION", "STARTED", "SEEN"}}
	for _, p := range v.Processes {
		seen := ago(p.Ago) + " ago"
		if !p.Alive {
			seen = "gone since " + ago(p.Ago)
		}
		rows = append(rows, []string{p.ID, string(p.Role), p.Host, strconv.Itoa(p.PID), p.Version, p.Started.String(),
			seen})
	}
	return rows
}

func leases(v *fleet.View) table {
	rows := table{{"LEASES OF", "KIND", "SHARD", "HELD"}}
	for _, l := range v.Leases {
		rows = append(rows, []string{l.Owner, l.Kind, shardName(l.Shard), strconv.Itoa(l.Held)})
	}
	return rows
}

func waiting(v *fleet.View) table {
	rows := table{{"SHARD", "WORK", "WAITING", "OLDEST"}}
	for _, h := range v.Shards {
		for _, w := range []struct {
			name string
			fleet.Backlog
		}{
			{"events in the outbox", h.Outbox}, {"events set aside", fleet.Backlog{Waiting: h.SetAside}},
			{"due queues", h.Queues}, {"deliveries", h.Deliveries},
			{"queued exports", fleet.Backlog{Waiting: h.Jobs.ExportsQueued}},
			{"running exports", fleet.Backlog{Waiting: h.Jobs.ExportsRunning}}, {"emails", h.Jobs.Mails},
			{"themes being processed", fleet.Backlog{Waiting: h.Jobs.Themes}},
			{"redactions", fleet.Backlog{Waiting: h.Jobs.Redactions}},
		} {
			rows = append(rows, []string{shardName(h.Name), w.name, strconv.Itoa(w.Waiting), oldest(w.Backlog)})
		}
	}
	return rows
}

// shardName returns the name of a shard in a table; the only shard has none.
func shardName(name string) string { return cmp.Or(name, "-") }

func ago(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(100 * time.Millisecond).String()
}

func oldest(b fleet.Backlog) string {
	if b.Oldest == 0 {
		return "-"
	}
	return ago(b.Oldest)
}
