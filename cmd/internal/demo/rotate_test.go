package demo_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/model"
)

func TestLostFileRotates(t *testing.T) {
	s := storetest.Open(t)
	c := config(t, s, 1)
	before := prepare(t, c)
	own, err := c.Core.Mutation().APIKeyCreate(within(t, before.Stores[0]), model.APIKeyCreateInput{
		Name: "Mine", Scopes: []string{"orders.read"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		lose func() error
	}{
		{"missing", func() error { return os.Remove(c.Path) }},
		{"half", func() error { return os.Truncate(c.Path, 100) }},
		{"another's", func() error { return os.WriteFile(c.Path, []byte(`{"stores": []}`), 0o600) }},
		{"readable for others", func() error { return os.Chmod(c.Path, 0o644) }},
		{"a key is revoked", func() error {
			ctx := within(t, before.Stores[0])
			v, err := c.Core.Keys.Authenticate(t.Context(), before.Stores[0].Keys["all"], apikey.Key)
			if err != nil {
				return err
			}
			_, err = c.Core.Mutation().APIKeyRevoke(ctx, xid.APIKey.Format(v.Credential))
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := tc.lose(); err != nil {
				t.Fatal(err)
			}
			after := prepare(t, c)
			checkCredentials(t, c, after)
			former := before.Stores[0]
			if after.Stores[0].Owner.Password == former.Owner.Password {
				t.Error("the password stayed")
			}
			for name, key := range former.Keys {
				if _, err := c.Core.Keys.Authenticate(t.Context(), key, apikey.Key); err == nil {
					t.Errorf("the former key %s still opens", name)
				}
			}
			if _, err := c.Core.Keys.Authenticate(t.Context(), former.StaffToken, apikey.Staff); err == nil {
				t.Error("the former staff token still opens")
			}
			before = after
		})
	}
	if _, err := c.Core.Keys.Authenticate(t.Context(), *own.Secret, apikey.Key); err != nil {
		t.Errorf("a key created by a person: %v, want it untouched", err)
	}
}

// stopper cancels when a log line begins with its text.
type stopper struct {
	slog.Handler
	text string
	stop context.CancelFunc
}

func (s stopper) Enabled(context.Context, slog.Level) bool { return true }

func (s stopper) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, s.text) {
		s.stop()
	}
	return nil
}

// content describes the orders, without ids and times.
func content(t *testing.T, s *ent.Store, f *demo.File) (list []string) {
	t.Helper()
	for _, of := range f.Stores {
		for _, o := range orders(t, s, of) {
			list = append(list, fmt.Sprint(o.Number, o.Status, o.FinancialStatus, o.FulfillmentStatus, o.TotalMinor,
				o.PaidMinor, o.RefundedMinor, o.Source, o.NotesCount, string(o.Tags), string(o.ShippingAddress)))
		}
	}
	return list
}

func TestInterruptedStartIsTakenUp(t *testing.T) {
	s := storetest.Open(t)
	const n = 60 // more than one batch
	broken := config(t, s, n)
	ctx, stop := context.WithCancel(t.Context())
	broken.Logger = slog.New(stopper{Handler: slog.DiscardHandler, text: "demo orders", stop: stop})
	if f, err := demo.Prepare(ctx, broken); err == nil {
		t.Fatalf("the interrupted start wrote %+v", f)
	}
	if _, err := os.Stat(broken.Path); err == nil {
		t.Error("the interrupted start wrote its file")
	}
	c, all := storetest.AllStores(t, s)
	if whole, err := c.Store.Query().Where(store.Demo(true)).Count(all); err != nil || whole != 0 {
		t.Errorf("%d stores are marked as whole, %v; want none", whole, err)
	}
	taken := broken
	taken.Logger = nil
	got := content(t, s, prepare(t, taken))

	other := storetest.Open(t)
	want := content(t, other, prepare(t, config(t, other, n)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("taken up and uninterrupted starts differ: %s", diff)
	}
	if len(got) != 2*n {
		t.Errorf("%d orders, want %d", len(got), 2*n)
	}
}

func TestForeignStoreIsLeftAlone(t *testing.T) {
	s := storetest.Open(t)
	id := xid.New()
	ctx := viewer.Operator(t.Context(), id)
	err := s.InTx(ctx, func(ctx context.Context) error {
		client := s.DB(ctx)
		if err := client.StoreHandle.Create().SetID("kestrel-bikes").SetStoreID(id).Exec(ctx); err != nil {
			return err
		}
		return client.Store.Create().SetID(id).SetHandle("kestrel-bikes").SetName("Mine").SetCurrency("EUR").
			SetTimezone("UTC").SetUpdatedAt(micros.Now()).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := demo.Prepare(t.Context(), config(t, s, 1)); err == nil ||
		!strings.Contains(err.Error(), "kestrel-bikes") {
		t.Errorf("Prepare = %v, want a refusal that names the handle", err)
	}
	if n, err := s.DB(ctx).Product.Query().Count(ctx); n != 0 || err != nil {
		t.Errorf("%d products in a store that is not the demo's, %v", n, err)
	}
}

func TestAnnounce(t *testing.T) {
	f := &demo.File{APIHost: "http://h", BaseURL: "http://h/api/public/v1",
		Stores: []demo.Store{{Name: "N", Keys: map[string]string{"all": "sfk_x"}}}}
	var b strings.Builder
	if err := f.Announce(&b, "data/demo.json"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"http://h/api/public/v1\n", "data/demo.json",
		"curl -s -H 'Authorization: Bearer sfk_x' 'http://h/api/public/v1/orders?limit=2'"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
}

// If a server runs on the same data, the file belongs to that server.
func TestAnnounceBeside(t *testing.T) {
	f := &demo.File{APIHost: "http://h", Runs: "http://other"}
	var b strings.Builder
	if err := f.Announce(&b, "data/demo.json"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "data/demo.json is that of the demo at http://other") {
		t.Errorf("it does not say whose the file is:\n%s", b.String())
	}
}

func BenchmarkPrepare(b *testing.B) {
	for b.Loop() {
		prepare(b, config(b, storetest.Open(b), 500))
	}
}
