package idem_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/idem"
)

// sellCommitted is sell in a transaction of its own.
func sellCommitted(t *testing.T, s *ent.Store, handle string) func(context.Context) (idem.Answer, error) {
	return func(ctx context.Context) (a idem.Answer, err error) {
		if s.Within(ctx) {
			t.Error("f runs in the transaction of the key")
		}
		err = s.InTx(ctx, func(ctx context.Context) error {
			a, err = sell(s, handle)(ctx)
			return err
		})
		return a, err
	}
}

func kindOf(err error) fault.Kind {
	f, _ := errors.AsType[*fault.Error](err)
	if f == nil {
		return ""
	}
	return f.Kind
}

// A request whose claim commits first is carried out once, in any process, and its answer is
// replayed.
func TestCommitFirst(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		t.Parallel() // it waits
		ctx, claim := merchant(t, s), idem.Claim{Key: "k", CommitFirst: true}
		keepers := []*idem.Keeper{newKeeper(t, s), newKeeper(t, s)}
		failed := errors.New("away")
		_, _, err := keepers[0].Run(ctx, claim,
			func(context.Context) (idem.Answer, error) { return idem.Answer{}, failed })
		if !errors.Is(err, failed) {
			t.Errorf("an error: %v", err)
		}
		uncertain := idem.Claim{Key: "u", CommitFirst: true}
		for _, want := range []error{ent.ErrUncertain, nil} {
			_, _, err := keepers[0].Run(ctx, uncertain, func(context.Context) (idem.Answer, error) {
				if want == nil {
					t.Error("a request that may have been carried out was carried out again")
				}
				return idem.Answer{}, ent.ErrUncertain
			})
			if want == nil && kindOf(err) != fault.IdempotencyInProgress || want != nil && !errors.Is(err, want) {
				t.Errorf("after a commit of unknown outcome: %v", err)
			}
		}
		var first atomic.Int64
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				a, replayed, err := keepers[i%2].Run(ctx, claim, sellCommitted(t, s, "x"))
				if err != nil || string(a.Body) != "x" {
					t.Errorf("%q, %v", a.Body, err)
				}
				if !replayed {
					first.Add(1)
				}
			})
		}
		wg.Wait()
		if n := products(t, ctx, s); n != 1 || first.Load() != 1 {
			t.Errorf("%d products, %d first answers", n, first.Load())
		}
		refused := idem.Claim{Key: "r", CommitFirst: true}
		for _, again := range []bool{false, true} {
			a, replayed, err := keepers[0].Run(ctx, refused, func(context.Context) (idem.Answer, error) {
				return idem.Answer{Status: 404, Refused: true}, nil
			})
			if a.Status != 404 || replayed != again || err != nil {
				t.Errorf("a refusal: %+v, %v, %v", a, replayed, err)
			}
		}
	})
}

// A process that ends before the answer is stored leaves a key without one: the request is not
// carried out again.
func TestCrashAfterClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		ctx, claim := merchant(t, s), idem.Claim{Key: "k", CommitFirst: true}
		func() {
			defer func() { _ = recover() }()
			_, _, _ = newKeeper(t, s).Run(ctx, claim, func(ctx context.Context) (idem.Answer, error) {
				if _, err := sellCommitted(t, s, "x")(ctx); err != nil {
					t.Error(err)
				}
				panic("the process crashed")
			})
		}()
		k := newKeeper(t, s)
		if _, _, err := k.Run(ctx, claim, sellCommitted(t, s, "y")); kindOf(err) != fault.IdempotencyInProgress {
			t.Errorf("at once: %v", err)
		}
		time.Sleep(time.Minute)
		if _, _, err := k.Run(ctx, claim, sellCommitted(t, s, "y")); kindOf(err) != fault.IdempotencyAnswerGone {
			t.Errorf("later: %v", err)
		}
		if n := products(t, ctx, s); n != 1 {
			t.Errorf("%d products", n)
		}
	})
}
