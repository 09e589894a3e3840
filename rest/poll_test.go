package rest_test

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/migrate"
	"github.com/storefront-go/storefront/rest"
)

// polled is a representation that a client has, with its tag.
type polled struct {
	path, tag string
	body      []byte
}

// polls reads every list and every resource once, with and without updated_from.
func (s *server) polls(t *testing.T, as string) (all []*polled) {
	t.Helper()
	ids := map[string]string{"/orders/": orderID, "/products/": productID, "/themes/": themeID}
	for _, r := range rest.Routes() {
		path := r.Path
		for above, id := range ids {
			path = strings.Replace(path, above+"{id}", above+id, 1)
		}
		if r.Method != http.MethodGet || path == "/me" || strings.Contains(path, "{id}") {
			continue
		}
		all = append(all, &polled{path: path})
		if slices.Contains(r.Query, "updated_from") {
			all = append(all, &polled{path: path + "?updated_from=2000-01-01T00:00:00Z"})
		}
	}
	for _, p := range all {
		a := s.do(t, request{As: as, Path: p.path, Free: true}).want(http.StatusOK, "")
		p.tag, p.body = a.Header.Get("ETag"), a.Body
	}
	return all
}

// again polls with the client's tag: 304 is correct only if the body is the same.
func (p *polled) again(t *testing.T, s *server, as string) (changed bool) {
	t.Helper()
	// The rows hold arbitrary values, so the document does not apply.
	whole := s.do(t, request{As: as, Path: p.path, Free: true})
	a := s.do(t, request{As: as, Path: p.path, Free: true, Header: map[string]string{"If-None-Match": p.tag}})
	changed = !bytes.Equal(whole.Body, p.body)
	if whole.Status != http.StatusOK || changed == (a.Status == http.StatusNotModified) {
		t.Errorf("%s: %d, and %d with the tag; the body changed: %t", p.path, whole.Status, a.Status, changed)
	}
	p.tag, p.body = whole.Header.Get("ETag"), whole.Body
	return changed
}

// otherStates are states that no row of the test has, by table and column.
var otherStates = map[string]string{
	"orders.status": "completed", "orders.financial_status": "partially_refunded",
	"orders.fulfillment_status": "partially_fulfilled", "products.status": "archived", "customers.status": "disabled",
	"customers.email_marketing": "not_subscribed", "webhook_endpoints.status": "disabled", "exports.status": "expired",
}

// otherValue returns the expression of another value of a column; "" for keys, other states and
// packed columns, where another value could not be read.
func otherValue(table *schema.Table, c *schema.Column) string {
	const fixed = " store_id id status source visibility author_type kind format compression currency stopped_reason" +
		" role checksum "
	if other := otherStates[table.Name+"."+c.Name]; other != "" {
		return "'" + other + "'"
	}
	name := "`" + c.Name + "`"
	switch {
	case strings.Contains(fixed, " "+c.Name+" "), c.Type == field.TypeUUID, c.Type == field.TypeBytes,
		c.Type == field.TypeJSON, slices.Contains(table.PrimaryKey, c):
		return ""
	case c.Type == field.TypeBool:
		return "1 - " + name
	case c.Type.Numeric():
		return "COALESCE(" + name + ", 0) + CASE WHEN " + name + " > 1 << 60 THEN -1 ELSE 1 END"
	}
	return "COALESCE(" + name + ", '') || 'x'"
}

// A poll never gets 304 after a change: every column of every table is changed without an event, as
// stock is by a purchase.
func TestPolls(t *testing.T) {
	s, m := sqlite(t)
	m.furnish()
	m.furnishMarket()
	m.at(t, anyDiscount)
	m.at(t, anyField)
	m.at(t, anyReturn)
	m.at(t, anyLocation)
	s.post(t, m.all, "2", "/orders/"+orderID+"/fulfillments", "{}").want(http.StatusCreated, "")
	s.post(t, m.all, "1", "/products", draft("Cup")).want(http.StatusCreated, "") // has an event
	all, changes := s.polls(t, m.all), map[string]int{}
	for _, table := range migrate.Tables {
		owned := slices.ContainsFunc(table.Columns, func(c *schema.Column) bool { return c.Name == "store_id" })
		if !owned && table.Name != "marketplace_themes" || table.Name == "api_keys" { // with which is polled
			continue
		}
		for _, c := range table.Columns {
			value, rows := otherValue(table, c), int64(0)
			if value == "" {
				continue
			}
			m.tx(func(ctx context.Context, client *db.Client) error {
				where, args := " WHERE id >= ''", []any(nil)
				if owned {
					where, args = " WHERE store_id = ?", []any{m.id}
				}
				res, err := client.ExecContext(ctx, "UPDATE "+table.Name+" SET `"+c.Name+"` = "+value+where, args...)
				if ent.IsDuplicate(err) {
					return nil // two rows would meet in the middle
				}
				if err == nil {
					rows, err = res.RowsAffected()
				}
				return err
			})
			for _, p := range all {
				if rows > 0 && p.again(t, s, m.all) {
					changes[p.path]++
				}
			}
			if t.Failed() {
				t.Fatalf("after a change of %s.%s", table.Name, c.Name)
			}
		}
	}
	for _, p := range all {
		if changes[p.path] == 0 && !strings.HasSuffix(p.path, "/assets") { // which never change
			t.Errorf("nothing changed %s", p.path)
		}
	}
}
