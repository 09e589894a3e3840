package search

import (
	"context"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/searchpending"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Index updates the search index in the transaction that writes a row. It must be called after the
// write: the lock on the row then orders concurrent transactions.
type Index struct {
	Client *db.Client
	Engine string
}

// For returns the index for the transaction of ctx.
func For(ctx context.Context, s *ent.Store) Index {
	return Index{Client: s.DB(ctx), Engine: s.Dialect()}
}

// Mark marks a created or changed row as pending. It is found at once; [Keeper.Flush] writes its
// words.
func (x Index) Mark(ctx context.Context, k Kind, id xid.ID) error {
	tail := " ON CONFLICT (store_id, kind, id) DO NOTHING"
	if x.Engine == dialect.MySQL {
		tail = " ON DUPLICATE KEY UPDATE since = since"
	}
	_, err := x.Client.ExecContext(ent.Later(ctx), "INSERT INTO search_pendings (store_id, kind, id, since) VALUES (?, ?, ?, ?)"+
		tail, viewer.From(ctx).Store, string(k), id, micros.Now())
	if err != nil {
		return fmt.Errorf("mark for the search index: %w", err)
	}
	return nil
}

// Forget removes a row from the search.
func (x Index) Forget(ctx context.Context, k Kind, id xid.ID) error {
	err := x.remove(ctx, anyWord, id)
	if err == nil {
		gone := x.Client.SearchPending.Delete().Where(searchpending.Kind(string(k)), searchpending.ID(id))
		_, err = gone.Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("remove from the search: %w", err)
	}
	return nil
}

// ForgetPerson removes personal words of orders. Orders that are pending have none either once
// their customer is redacted.
func (x Index) ForgetPerson(ctx context.Context, orders ...xid.ID) error {
	if err := x.remove(ctx, " AND personal", orders...); err != nil {
		return fmt.Errorf("remove a person from the search: %w", err)
	}
	return nil
}

// anyWord makes [Index.remove] delete all words.
const anyWord = ""

// remove deletes the words of rows that meet one more condition.
func (x Index) remove(ctx context.Context, only string, ids ...xid.ID) error {
	if len(ids) == 0 {
		return nil
	}
	values := make([]any, 0, 1+len(ids))
	values = append(values, viewer.From(ctx).Store)
	for _, id := range ids {
		values = append(values, id)
	}
	_, err := x.Client.ExecContext(ctx, removal(x.Engine, len(ids))+only, values...)
	return err
}

// removal returns the statement that deletes the words of n rows. It names their index, because the
// primary key begins with the store as well and contains all of its words.
func removal(engine string, n int) string {
	return "DELETE FROM search_terms" + ent.DeleteHint(engine, "search_terms", "searchterm_store_id_id_term") +
		" WHERE store_id = ? AND id IN (?" + strings.Repeat(", ?", n-1) + ")"
}
