package reseal

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/webhookendpoint"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// A value that is changed between the read and the write stays as it was written.
func TestSwap(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, store := storetest.Merchant(t, s)
		old, both := parse(t, "a"), parse(t, "b", "a")
		id := xid.New()
		seal := func(r *keyring.Ring, plain string) []byte {
			return r.Sealer("webhook secrets").Seal([]byte(plain), id[:])
		}
		newer := seal(both, "newer")
		set := func(f func(ctx context.Context) error) {
			if err := s.InTx(ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		set(func(ctx context.Context) error {
			return s.DB(ctx).WebhookEndpoint.Create().SetID(id).SetURL("https://x.example").SetEvents("order.paid").
				SetStatus(state.EndpointActive).SetSecret(seal(old, "older")).SetSecretHint("lder").SetUpdatedAt(1).
				Exec(ctx)
		})
		w := &walk{column: columns[0], store: s, sealer: both.Sealer("webhook secrets"), first: both.KeyIDs()[0]}
		list, err := w.older(ctx, s, &store.ID, new(value), w.first, batch)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d values, %v", len(list), err)
		}
		set(func(ctx context.Context) error {
			return s.DB(ctx).WebhookEndpoint.Update().Where(webhookendpoint.ID(id)).SetSecret(newer).Exec(ctx)
		})
		if err := w.resealSome(ctx, list); err != nil || w.done.Changed != 1 || w.done.Resealed != 0 {
			t.Errorf("%+v, %v", w.done, err)
		}
		row := s.DB(ctx).WebhookEndpoint.Query().Where(webhookendpoint.ID(id)).OnlyX(ctx)
		if !bytes.Equal(row.Secret, newer) {
			t.Error("the concurrent change is lost")
		}
	})
}

func parse(t testing.TB, letters ...string) *keyring.Ring {
	t.Helper()
	list := make([]string, len(letters))
	for i, letter := range letters {
		list[i] = strings.Repeat(letter, keyring.MinSecret)
	}
	r, err := keyring.Parse(strings.Join(list, ","))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Secrets with the same byte are refused, because their values cannot be counted.
func TestTwins(t *testing.T) {
	s := storetest.Open(t)
	seen := map[byte]string{}
	for c := range rune(200) {
		letter := string('0' + c)
		id := parse(t, letter).KeyIDs()[0]
		if before, ok := seen[id]; ok {
			r := parse(t, letter, before)
			_, err := Counts(t.Context(), s, r)
			_, other := Run(t.Context(), s, r, nil)
			if !errors.Is(err, ErrAmbiguous) || !errors.Is(other, ErrAmbiguous) {
				t.Errorf("counted with %v, sealed with %v", err, other)
			}
			return
		}
		seen[id] = letter
	}
	t.Fatal("no two secrets have the same byte")
}
