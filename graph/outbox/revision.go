package outbox

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

const (
	// late is how far behind the newest event of a store another one may still turn up: the
	// time from the minting of its id to the commit, and what the clocks of processes differ
	// by. Transactions take seconds, and a clock that is minutes off is reported.
	late = 10 * time.Minute
	// maxLate bounds what is read of it.
	maxLate = 64
)

// seed makes the revisions of this process.
var seed = maphash.MakeSeed()

// errOld ends the walk at an event that nothing turns up behind.
var errOld = errors.New("the event is old")

// Revision stands for the events that a store has: two revisions of one process are equal
// where no transaction with an event was committed between them, so that nothing has
// changed of which events tell. It is 0 where that cannot be said, since the store has no
// events or has had many of late.
//
// The newest id alone would not do: ids are minted before the commit, so one that is older may
// turn up behind it. So a revision is made of all ids that are not too old for that.
func Revision(ctx context.Context, c *db.Client, engine string, store xid.ID) (uint64, error) {
	var h maphash.Hash
	h.SetSeed(seed)
	var oldest micros.Time
	n := 0
	err := ent.Read(ctx, c, func(rows *stdsql.Rows) error {
		var id xid.ID
		if err := rows.Scan(&id); err != nil {
			return err
		}
		if n == 0 {
			oldest = id.Time().Add(-late)
		}
		if id.Time() < oldest {
			return errOld
		}
		n++
		_, _ = h.Write(id[:]) // which never fails
		return nil
	}, lastEvents[engine], store)
	switch {
	case err != nil && !errors.Is(err, errOld):
		return 0, fmt.Errorf("read a store's last events: %w", err)
	case n == 0 || n == maxLate:
		return 0, nil
	}
	return h.Sum64(), nil
}

// lastEvents is the statement of [Revision] by the engine.
var lastEvents = func() map[string]string {
	all := map[string]string{}
	for _, engine := range []string{dialect.SQLite, dialect.MySQL} {
		all[engine] = fmt.Sprintf("SELECT id FROM events%s WHERE store_id = ? ORDER BY id DESC LIMIT %d",
			ent.IndexHint(engine, "events", ent.Primary), maxLate)
	}
	return all
}()
