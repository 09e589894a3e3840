package search

import (
	"context"
	"fmt"
	"strings"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/searchterm"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// Index writes the words of a store, in the transaction that writes what is found by them:
// behind its row, so that of two transactions the second waits there.
type Index struct {
	Client *db.Client
	// Engine is the dialect of the database.
	Engine string
}

// Order writes the words of an order with its lines. Its customer, if it has one, was locked.
// made says that it is new, and has none yet.
func (x Index) Order(ctx context.Context, o *db.Order, lines []*db.OrderLine, buyer *db.Customer, made bool) error {
	t, err := ofOrder(o, lines, buyer)
	if err != nil {
		return err
	}
	return x.put(ctx, o.ID, t, made)
}

// Customer writes the words of a customer.
func (x Index) Customer(ctx context.Context, c *db.Customer, made bool) error {
	return x.put(ctx, c.ID, ofCustomer(c), made)
}

// Product writes the words of a product, whose variants were read.
func (x Index) Product(ctx context.Context, p *db.Product, made bool) error {
	return x.put(ctx, p.ID, ofProduct(p), made)
}

// Forget takes something out of the search.
func (x Index) Forget(ctx context.Context, id xid.ID) error {
	if _, err := x.Client.SearchTerm.Delete().Where(searchterm.ID(id)).Exec(ctx); err != nil {
		return fmt.Errorf("take out of the search: %w", err)
	}
	return nil
}

// ForgetPerson takes the words about a person out of those of orders.
func (x Index) ForgetPerson(ctx context.Context, orders ...xid.ID) error {
	if len(orders) == 0 {
		return nil
	}
	gone := x.Client.SearchTerm.Delete().Where(searchterm.IDIn(orders...), searchterm.Personal(true))
	if _, err := gone.Exec(ctx); err != nil {
		return fmt.Errorf("take a person out of the search: %w", err)
	}
	return nil
}

// put deletes the words that something has no more, and writes those that it has. It reads
// neither before: what this transaction would read may be older than what the walk wrote.
func (x Index) put(ctx context.Context, id xid.ID, t terms, made bool) error {
	words := t.sorted()
	if len(words) == 0 {
		return x.Forget(ctx, id)
	}
	if !made {
		gone := x.Client.SearchTerm.Delete().Where(searchterm.ID(id), searchterm.TermNotIn(words...))
		if _, err := gone.Exec(ctx); err != nil {
			return fmt.Errorf("take words out of the search: %w", err)
		}
	}
	store := viewer.From(ctx).Store
	values := make([]any, 0, 4*len(words))
	for _, w := range words {
		values = append(values, store, w, id, t[w])
	}
	tail := " ON CONFLICT (store_id, term, id) DO UPDATE SET personal = excluded.personal"
	if x.Engine == dialect.MySQL {
		tail = " ON DUPLICATE KEY UPDATE personal = VALUES(personal)"
	}
	query := "INSERT INTO search_terms (store_id, term, id, personal) VALUES " +
		strings.Repeat("(?, ?, ?, ?), ", len(words)-1) + "(?, ?, ?, ?)" + tail
	if _, err := x.Client.ExecContext(ctx, query, values...); err != nil {
		return fmt.Errorf("write words of the search: %w", err)
	}
	return nil
}
