package idem_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/idempotency"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

func newKeeper(t *testing.T, s *ent.Store) *idem.Keeper {
	t.Helper()
	ring, err := keyring.Parse(strings.Repeat("0123456789abcdef", 3))
	if err != nil {
		t.Fatal(err)
	}
	return idem.New(s, ring)
}

// merchant returns a context whose viewer is an API key of a new store.
func merchant(t *testing.T, s *ent.Store) context.Context {
	t.Helper()
	ctx, _ := storetest.Merchant(t, s)
	v := *viewer.From(ctx)
	v.Principal = xid.New()
	return viewer.With(ctx, &v)
}

// sell writes a product, as a request would, and answers with its handle.
func sell(s *ent.Store, handle string) func(context.Context) (idem.Answer, error) {
	return func(ctx context.Context) (idem.Answer, error) {
		_, err := s.DB(ctx).Product.Create().SetTitle(handle).SetHandle(handle).SetStatus(state.ProductDraft).
			SetPriceMinor(1).SetCurrency("EUR").SetTags(document.NewTags(nil)).SetUpdatedAt(micros.Now()).Save(ctx)
		return idem.Answer{Status: 201, ContentType: "application/json", Location: "/p/" + handle,
			Body: []byte(handle)}, err
	}
}

func products(t *testing.T, ctx context.Context, s *ent.Store) int {
	t.Helper()
	n, err := s.DB(ctx).Product.Query().Count(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A refusal based on rows that were never committed is not stored, even if there is no time left to
// evaluate the request again.
func TestRefusalOfALostGroupIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *ent.Store
		var ctx context.Context
		var others sync.WaitGroup
		var lose, done atomic.Bool
		// hold keeps the writer until the refused request waits for it behind a write with which it
		// is lost.
		hold := func() {
			_ = s.InTx(ent.Background(ctx), func(context.Context) error {
				others.Go(func() {
					_ = s.InTx(ctx, func(context.Context) error { lose.Store(!done.Load()); return nil })
				})
				<-time.After(300 * time.Millisecond)
				return nil
			})
		}
		s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Committed: func() error {
			if !lose.Swap(false) {
				return nil
			}
			others.Go(hold)
			synctest.Wait()
			return errors.New("the disk failed")
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx = merchant(t, s)
		k, claim, runs := newKeeper(t, s), idem.Claim{Key: "k", Fingerprint: [32]byte{1}}, 0
		refuse := func(context.Context) (idem.Answer, error) {
			runs++
			return idem.Answer{Status: 409, Body: []byte("sold out"), Refused: true}, nil
		}
		others.Go(hold)
		synctest.Wait()
		a, _, err := k.Run(ctx, claim, refuse)
		if !ent.IsUnavailable(err) || runs < 2 {
			t.Errorf("answered %d %s, %v after %d runs", a.Status, a.Body, err, runs)
		}
		done.Store(true)
		others.Wait()
		if _, replayed, err := k.Run(ctx, claim, sell(s, "a")); replayed || err != nil {
			t.Errorf("the key has an answer: %v, %v", replayed, err)
		}
	})
}

func TestRunAnswersOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, k := merchant(t, s), newKeeper(t, s)
		claim := idem.Claim{Key: "k1", Fingerprint: [32]byte{1}}
		first, replayed, err := k.Run(ctx, claim, sell(s, "a"))
		if err != nil || replayed {
			t.Fatalf("first: replayed %v, %v", replayed, err)
		}
		again, replayed, err := k.Run(ctx, claim, sell(s, "b"))
		if err != nil || !replayed {
			t.Fatalf("again: replayed %v, %v", replayed, err)
		}
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("the replay differs (-first +again):\n%s", diff)
		}
		_, _, err = k.Run(ctx, idem.Claim{Key: "k1", Fingerprint: [32]byte{2}}, sell(s, "c"))
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.IdempotencyKeyReused {
			t.Errorf("another body: got %v", err)
		}
		if got := products(t, ctx, s); got != 1 {
			t.Errorf("got %d products, want 1", got)
		}
		other := merchant(t, s)
		if _, replayed, err := k.Run(other, claim, sell(s, "a")); err != nil || replayed {
			t.Errorf("another store's equal key: replayed %v, %v", replayed, err)
		}
		v := *viewer.From(ctx)
		v.Principal = xid.New()
		if _, replayed, err := k.Run(viewer.With(ctx, &v), claim, sell(s, "d")); err != nil || replayed {
			t.Errorf("another principal's equal key: replayed %v, %v", replayed, err)
		}
	})
}

func TestTwinsGetOneAnswer(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx := merchant(t, s)
		// Two keepers are two processes: they do not share a gate.
		keepers := []*idem.Keeper{newKeeper(t, s), newKeeper(t, s)}
		var ran atomic.Int64
		answers := make([]string, 50)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				a, _, err := keepers[i%2].Run(ctx, idem.Claim{Key: "twin"},
					func(ctx context.Context) (idem.Answer, error) {
						return sell(s, fmt.Sprint("p", ran.Add(1)))(ctx)
					})
				if err != nil {
					t.Errorf("twin %d: %v", i, err)
				}
				answers[i] = string(a.Body)
			})
		}
		wg.Wait()
		if distinct := slices.Compact(slices.Sorted(slices.Values(answers))); len(distinct) != 1 {
			t.Errorf("got answers %v, want one", distinct)
		}
		if got := products(t, ctx, s); got != 1 {
			t.Errorf("got %d products, want 1", got)
		}
	})
}

func TestRefusalIsKeptWithoutItsRows(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, k := merchant(t, s), newKeeper(t, s)
		refuse := func(ctx context.Context) (idem.Answer, error) {
			a, err := sell(s, "x")(ctx)
			a.Status, a.Refused = 422, true
			return a, err
		}
		for i := range 2 {
			a, replayed, err := k.Run(ctx, idem.Claim{Key: "r"}, refuse)
			if err != nil || a.Status != 422 || replayed != (i == 1) {
				t.Errorf("run %d: status %d, replayed %v, %v", i, a.Status, replayed, err)
			}
		}
		if got := products(t, ctx, s); got != 0 {
			t.Errorf("a refusal left %d products", got)
		}
	})
}

func TestErrorLeavesTheKeyFree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, k := merchant(t, s), newKeeper(t, s)
		broken := errors.New("broken")
		_, _, err := k.Run(ctx, idem.Claim{Key: "e"}, func(ctx context.Context) (idem.Answer, error) {
			if _, err := sell(s, "x")(ctx); err != nil {
				t.Error(err)
			}
			return idem.Answer{}, broken
		})
		if !errors.Is(err, broken) {
			t.Fatalf("got %v", err)
		}
		if got := products(t, ctx, s); got != 0 {
			t.Errorf("an error left %d products", got)
		}
		if _, replayed, err := k.Run(ctx, idem.Claim{Key: "e"}, sell(s, "x")); err != nil || replayed {
			t.Errorf("the key is not free: replayed %v, %v", replayed, err)
		}
	})
}

func TestPanicLeavesTheKeyFree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, k := merchant(t, s), newKeeper(t, s)
		func() {
			defer func() {
				if got := recover(); got != "broken" {
					t.Errorf("recovered %v", got)
				}
			}()
			_, _, _ = k.Run(ctx, idem.Claim{Key: "p"}, func(context.Context) (idem.Answer, error) { panic("broken") })
		}()
		if _, replayed, err := k.Run(ctx, idem.Claim{Key: "p"}, sell(s, "x")); err != nil || replayed {
			t.Errorf("the key is not free: replayed %v, %v", replayed, err)
		}
	})
}

func TestExpiredKeyIsFree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, k := merchant(t, s), newKeeper(t, s)
		for _, key := range []string{"old", "purged"} {
			if _, _, err := k.Run(ctx, idem.Claim{Key: key}, sell(s, key)); err != nil {
				t.Fatal(err)
			}
		}
		age(t, ctx, s, idem.Retention)
		if _, replayed, err := k.Run(ctx, idem.Claim{Key: "old"}, sell(s, "new")); err != nil || replayed {
			t.Errorf("after 24 h: replayed %v, %v", replayed, err)
		}
		if n, err := k.Purge(t.Context()); err != nil || n < 1 {
			t.Errorf("purged %d, %v", n, err)
		}
		if n, err := s.DB(ctx).Idempotency.Query().Count(ctx); err != nil || n != 1 {
			t.Errorf("got %d keys after the purge, want the new one: %v", n, err)
		}
	})
}

// age makes every key of the store older.
func age(t *testing.T, ctx context.Context, s *ent.Store, d time.Duration) {
	t.Helper()
	err := s.InTx(ctx, func(ctx context.Context) error {
		return s.DB(ctx).Idempotency.Update().Where(idempotency.StatusGT(0)).
			AddCreatedAt(micros.Time(-d.Microseconds() - 1)).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestStoredAnswersAreSealed(t *testing.T) {
	s := storetest.Open(t)
	ctx, k := merchant(t, s), newKeeper(t, s)
	if _, _, err := k.Run(ctx, idem.Claim{Key: "s"}, sell(s, "personal-data")); err != nil {
		t.Fatal(err)
	}
	row, err := s.DB(ctx).Idempotency.Query().Only(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(row.Answer), "personal-data") {
		t.Error("the stored answer is readable")
	}
}

func TestCheckKey(t *testing.T) {
	for _, tc := range []struct {
		name, key string
		present   bool
		want      fault.Kind
	}{
		{name: "absent", want: fault.IdempotencyKeyRequired},
		{name: "empty", present: true, want: fault.IdempotencyKeyInvalid},
		{name: "one", key: "a", present: true},
		{name: "longest", key: strings.Repeat("a", 255), present: true},
		{name: "too long", key: strings.Repeat("a", 256), present: true, want: fault.IdempotencyKeyInvalid},
		{name: "space", key: "a b", present: true, want: fault.IdempotencyKeyInvalid},
		{name: "not ASCII", key: "é", present: true, want: fault.IdempotencyKeyInvalid},
		{name: "control", key: "a\x7f", present: true, want: fault.IdempotencyKeyInvalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got fault.Kind
			if f, ok := errors.AsType[*fault.Error](idem.CheckKey(tc.key, tc.present)); ok {
				got = f.Kind
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// An answer that was erased, or whose root secret is gone, is not replayed; nor is its request
// carried out again.
func TestAnswerGone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ctx, k := merchant(t, s), newKeeper(t, s)
		about := xid.New()
		keep := func(key string, before func(context.Context)) {
			t.Helper()
			_, _, err := k.Run(ctx, idem.Claim{Key: key}, func(ctx context.Context) (idem.Answer, error) {
				before(ctx)
				return sell(s, key)(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		keep("erased", func(ctx context.Context) { idem.About(ctx, about) })
		keep("other", func(ctx context.Context) { idem.About(ctx, xid.New()) })
		keep("nobody", func(ctx context.Context) { idem.AboutNoCustomer(ctx); idem.About(ctx, about) })
		kept, last, err := idem.After(ctx, s.DB(ctx), xid.Nil, micros.Max, 10)
		if err != nil || len(kept) != 2 || last != nil {
			t.Fatalf("%v are about something, %v, %v", kept, last, err)
		}
		kept = slices.DeleteFunc(kept, func(k idem.Kept) bool { return k.About != about })
		if err := s.InTx(ctx, func(ctx context.Context) error { return idem.Erase(ctx, s.DB(ctx), kept) }); err != nil {
			t.Fatal(err)
		}
		ring, err := keyring.Parse(keyring.New())
		if err != nil {
			t.Fatal(err)
		}
		for _, tc := range []struct {
			key  string
			k    *idem.Keeper
			gone bool
		}{{"erased", k, true}, {"other", k, false}, {"nobody", k, false}, {"other", idem.New(s, ring), true}} {
			_, replayed, err := tc.k.Run(ctx, idem.Claim{Key: tc.key}, sell(s, tc.key))
			f, _ := errors.AsType[*fault.Error](err)
			if gone := f != nil && f.Kind == fault.IdempotencyAnswerGone; gone != tc.gone || replayed == gone {
				t.Errorf("%s: replayed %t, %v", tc.key, replayed, err)
			}
		}
		if n := products(t, ctx, s); n != 3 {
			t.Errorf("%d products, want 3", n)
		}
	})
}
