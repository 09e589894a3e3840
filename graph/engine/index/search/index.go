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

// Index notes what has to be found by other words, in the transaction that writes it: behind its
// row, so that of two transactions the second waits there.
type Index struct {
	Client *db.Client
	// Engine is the dialect of the database.
	Engine string
}

// Mark notes that something was made or changed. It is found at once, and its words are
// written by [Keeper.Settle].
func (x Index) Mark(ctx context.Context, k Kind, id xid.ID) error {
	tail := " ON CONFLICT (store_id, kind, id) DO NOTHING"
	if x.Engine == dialect.MySQL {
		tail = " ON DUPLICATE KEY UPDATE since = since"
	}
	_, err := x.Client.ExecContext(ent.Later(ctx), "INSERT INTO search_pendings (store_id, kind, id, since) VALUES (?, ?, ?, ?)"+
		tail, viewer.From(ctx).Store, string(k), id, micros.Now())
	if err != nil {
		return fmt.Errorf("note for the search: %w", err)
	}
	return nil
}

// Forget takes something out of the search.
func (x Index) Forget(ctx context.Context, k Kind, id xid.ID) error {
	err := x.remove(ctx, anyWord, id)
	if err == nil {
		gone := x.Client.SearchPending.Delete().Where(searchpending.Kind(string(k)), searchpending.ID(id))
		_, err = gone.Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("take out of the search: %w", err)
	}
	return nil
}

// ForgetPerson takes the words about a person out of those of orders. What is pending of them has
// none either, once its customer is redacted.
func (x Index) ForgetPerson(ctx context.Context, orders ...xid.ID) error {
	if err := x.remove(ctx, " AND personal", orders...); err != nil {
		return fmt.Errorf("take a person out of the search: %w", err)
	}
	return nil
}

// anyWord narrows [Index.remove] to nothing.
const anyWord = ""

// remove deletes the words of things, of which one more condition holds.
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

// removal is the statement that deletes the words of some things: by their own index, since
// the primary key begins with the store, too, and has all of its words.
func removal(engine string, n int) string {
	return "DELETE FROM search_terms" + ent.DeleteHint(engine, "search_terms", "searchterm_store_id_id_term") +
		" WHERE store_id = ? AND id IN (?" + strings.Repeat(", ?", n-1) + ")"
}
