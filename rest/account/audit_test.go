package account_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/model"
)

// join creates a person with the secret as password and adds them to a store.
func (w *site) join(shop *model.Store, email string, role viewer.Role) xid.ID {
	w.t.Helper()
	person, err := w.core.Person(w.t.Context(), access.Person{Email: email, Name: "Max", PasswordHash: hashed()})
	if err != nil {
		w.t.Fatal(err)
	}
	w.in(shop, func(ctx context.Context) error {
		_, err = w.core.Enrol(ctx, person.ID, role)
		return err
	})
	return person.ID
}

// in runs f as the operator of a store.
func (w *site) in(shop *model.Store, f func(ctx context.Context) error) {
	w.t.Helper()
	if err := w.core.Store.InTx(viewer.Operator(w.t.Context(), shop.ID), f); err != nil {
		w.t.Fatal(err)
	}
}

// Only the owner and admins of a store download its audit log, complete or filtered.
func TestAuditDownload(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		w := serve(t, s, "http://127.0.0.1:8080")
		shop, other := w.shop("ada@example.com"), w.shop("bob@example.com")
		thing := xid.New()
		w.in(shop, func(ctx context.Context) error {
			for i := range 1203 {
				action := "product.update"
				if i%100 == 0 {
					action = "product.create"
				}
				if err := audit.Write(ctx, s.DB(ctx), action, xid.Product, thing, "a \"detail\"\n"); err != nil {
					return err
				}
			}
			return nil
		})
		w.join(shop, "admin@example.com", viewer.Admin)
		w.join(shop, "support@example.com", viewer.Support)
		w.join(shop, "developer@example.com", viewer.Developer)
		gone := w.join(shop, "gone@example.com", viewer.Admin)
		w.in(other, func(ctx context.Context) error {
			_, err := w.core.Enrol(ctx, gone, viewer.Admin)
			return err
		})
		cookies := map[string]string{"": ""}
		for _, who := range []string{"ada", "bob", "admin", "support", "developer", "gone"} {
			cookies[who] = w.signIn(who + "@example.com")
		}
		w.in(shop, func(ctx context.Context) error {
			_, err := w.core.Mutation().StaffRemove(ctx, xid.User.Format(gone), nil)
			return err
		})
		get := func(who, store, query string, headers ...string) *reply {
			return w.send("GET", "/dashboard/audit.jsonl?store="+store+query, "",
				append([]string{"Cookie", cookies[who]}, headers...)...)
		}
		for _, tc := range []struct {
			who, store, query string
			status, lines     int
		}{
			{who: "ada", store: shop.PublicID(), status: 200, lines: 1205},
			{who: "admin", store: shop.Handle, status: 200, lines: 1205},
			{who: "ada", store: shop.Handle, query: "&action=product.create", status: 200, lines: 13},
			{who: "ada", store: shop.Handle, query: "&action=product.create&resource_type=product&actor_id=system",
				status: 200, lines: 13},
			{who: "ada", store: shop.Handle, status: 200,
				query: "&resource_id=" + xid.Product.Format(thing) + "&to=2020-01-01T00:00:00Z"},
			{who: "bob", store: other.Handle, status: 200, lines: 1},
			{who: "bob", store: shop.Handle, status: 404},
			{who: "bob", store: shop.PublicID(), status: 404},
			{who: "gone", store: shop.PublicID(), status: 404},
			{who: "gone", store: other.PublicID(), status: 200, lines: 1},
			{who: "support", store: shop.PublicID(), status: 403},
			{who: "developer", store: shop.PublicID(), status: 403},
			{who: "", store: shop.PublicID(), status: 401},
			{who: "ada", store: "nowhere", status: 404},
			{who: "ada", store: "", status: 404},
			{who: "ada", store: shop.Handle, query: "&store=" + other.Handle, status: 400},
			{who: "ada", store: shop.Handle, query: "&actor_id=usr_x", status: 400},
			{who: "ada", store: shop.Handle, query: "&from=yesterday", status: 400},
			{who: "ada", store: shop.Handle, query: "&limit=5", status: 400},
		} {
			name := fmt.Sprintf("%s of %s%s", tc.who, tc.store, tc.query)
			a := get(tc.who, tc.store, tc.query)
			if a.status != tc.status {
				t.Errorf("%s: %d, want %d\n%.300s", name, a.status, tc.status, a.body)
			} else if lines := strings.Count(a.body, "\n"); a.status == 200 && lines != tc.lines {
				t.Errorf("%s: %d lines, want %d", name, lines, tc.lines)
			}
		}
		w.judgeAudit(get("ada", shop.Handle, ""), shop)
		// A staff token, another store in the header, and another method make no difference.
		if a := get("", shop.Handle, "", "Authorization", "Bearer "+w.token(shop)); a.status != 401 {
			t.Errorf("a staff token: %d", a.status)
		}
		if a := get("bob", shop.Handle, "", "Storefront-Store", other.Handle); a.status != 404 {
			t.Errorf("a store in the header: %d", a.status)
		}
		if a := w.post("/dashboard/audit.jsonl?store="+shop.Handle, nil, "Cookie", cookies["ada"]); a.status != 405 {
			t.Errorf("a post: %d", a.status)
		}
	})
}

// judgeAudit checks a download: one object per line, newest first, each once, of this store only.
func (w *site) judgeAudit(a *reply, shop *model.Store) {
	w.t.Helper()
	if a.header.Get("Content-Type") != "application/jsonl" || a.header.Get("Cache-Control") != "private, no-store" ||
		a.header.Get("Content-Disposition") != `attachment; filename="audit.jsonl"` {
		w.t.Errorf("%v", a.header)
	}
	last := "aud_z"
	lines := strings.Split(strings.TrimSuffix(a.body, "\n"), "\n")
	for _, line := range lines {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			w.t.Fatalf("%q: %v", line, err)
		}
		id, _ := row["id"].(string)
		if id >= last || len(row) != 10 {
			w.t.Fatalf("%q behind %s", line, last)
		}
		last = id
	}
	if oldest := lines[len(lines)-1]; !strings.Contains(oldest, `"action":"store.create"`) ||
		!strings.Contains(oldest, `"resource_id":"`+shop.PublicID()) {
		w.t.Errorf("the oldest is %s", oldest)
	}
}
