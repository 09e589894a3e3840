package reseal

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"sync"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// column is a column of sealed values. Its rows have the key (owner, id).
type column struct {
	// name describes the values.
	name, table, column string
	// purpose is the purpose of the sealer.
	purpose string
	// owner is the first column of the key. Rows of stores are walked store by store.
	owner string
	// with is a further column for the additional data, or the id.
	with string
	// of returns the additional data of a row.
	of func(v *value) []byte
}

type value struct {
	owner, id xid.ID
	with      []byte
	sealed    []byte
}

// columns are all columns with sealed values. A new one needs a line here.
var columns = []column{
	{name: "webhook secrets", table: "webhook_endpoints", column: "secret", purpose: "webhook secrets",
		owner: stores, with: "id", of: byID},
	{name: "second webhook secrets", table: "webhook_endpoints", column: "next_secret", purpose: "webhook secrets",
		owner: stores, with: "id", of: byID},
	{name: "webhook headers", table: "webhook_endpoints", column: "headers", purpose: "webhook secrets",
		owner: stores, with: "id", of: byID},
	{name: "kept answers", table: "idempotency_keys", column: "answer", purpose: keyring.Encryption,
		owner: stores, with: "key_hash", of: byOwnerAndWith},
	{name: "payment keys", table: "payment_accounts", column: "secret", purpose: "payment secrets",
		owner: stores, with: "id", of: byID},
	{name: "signing secrets of payments", table: "payment_accounts", column: "signing", purpose: "payment secrets",
		owner: stores, with: "id", of: byID},
	{name: "answers to refreshes", table: "grants", column: "answer", purpose: "refresh answers",
		owner: stores, with: "id", of: byID},
	{name: "certificates of domains", table: "domains", column: "certificate", purpose: "certificates",
		owner: stores, with: "id", of: byID},
	{name: "keys of email senders", table: "mail_senders", column: "private_key", purpose: "email senders",
		owner: stores, with: "id", of: byID},
	{name: "second factors", table: "factors", column: "data", purpose: "factors",
		owner: "user_id", with: "id", of: byOwnerAndWith},
}

const stores = "store_id"

func byID(v *value) []byte { return v.id[:] }

func byOwnerAndWith(v *value) []byte { return slices.Concat(v.owner[:], v.with) }

// each runs f for every store, or once per shard with a nil store if no rows belong to stores.
func (c column) each(ctx context.Context, s *ent.Store, f func(ctx context.Context, store *xid.ID) error) error {
	var mu sync.Mutex // one at a time across shards
	if c.owner != stores {
		return s.EachShard(viewer.Everywhere(ctx), func(ctx context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			return f(ctx, nil)
		})
	}
	return s.EachStore(ctx, func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		return f(ctx, new(viewer.From(ctx).Store))
	})
}

func client(ctx context.Context, s *ent.Store, store *xid.ID) *db.Client {
	if store == nil {
		return s.Seek(ctx)
	}
	return s.DB(ctx)
}

func (c column) mark() string {
	return fmt.Sprintf("SUBSTR(%s, %d, %d)", c.column, keyring.MarkAt, keyring.MarkLen)
}

// older returns the next values after a row that are not sealed with the first secret.
func (c column) older(
	ctx context.Context, s *ent.Store, store *xid.ID, after *value, first byte, most int,
) (list []*value, err error) {
	where, args := "("+c.owner+" > ? OR "+c.owner+" = ? AND id > ?)", []any{after.owner, after.owner, after.id}
	if store != nil {
		where, args = c.owner+" = ? AND id > ?", []any{*store, after.id}
	}
	err = ent.Read(ctx, client(ctx, s, store), func(rows *stdsql.Rows) error {
		v := new(value)
		list = append(list, v)
		return rows.Scan(&v.owner, &v.id, &v.with, &v.sealed)
	}, "SELECT "+c.owner+", id, "+c.with+", "+c.column+" FROM "+c.table+
		ent.IndexHint(s.Dialect(), c.table, ent.Primary)+" WHERE "+where+" AND "+c.column+
		" IS NOT NULL AND "+c.mark()+" <> ?"+fmt.Sprintf(" ORDER BY %s, id LIMIT %d", c.owner, most),
		append(args, []byte{first})...)
	return list, fault.Wrap("read "+c.name, err)
}

func (c column) swap(ctx context.Context, s *ent.Store, v *value, fresh []byte) (done bool, err error) {
	res, err := s.DB(ctx).ExecContext(ctx, "UPDATE "+c.table+" SET "+c.column+" = ? WHERE "+c.owner+
		" = ? AND id = ? AND "+c.column+" = ?", fresh, v.owner, v.id, v.sealed)
	if err != nil {
		return false, fmt.Errorf("write %s: %w", c.name, err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// marks counts the values of a store, or of all owners, by the byte that identifies their key.
func (c column) marks(ctx context.Context, s *ent.Store, store *xid.ID, count map[byte]int) error {
	where, args := "", []any(nil)
	if store != nil {
		where, args = c.owner+" = ? AND ", []any{*store}
	}
	err := ent.Read(ctx, client(ctx, s, store), func(rows *stdsql.Rows) error {
		var mark []byte
		var n int
		err := rows.Scan(&mark, &n)
		if len(mark) > 0 {
			count[mark[0]] += n
		}
		return err
	}, "SELECT "+c.mark()+", COUNT(*) FROM "+c.table+" WHERE "+where+c.column+
		" IS NOT NULL GROUP BY "+c.mark(), args...)
	return fault.Wrap("count "+c.name, err)
}
