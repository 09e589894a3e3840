package backfill_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/backfill"
)

var errKilled = errors.New("the process was killed")

// products are the products of some stores. A job raises the stock of each by one.
type products struct {
	*ent.Store
	t      *testing.T
	stores []context.Context
}

func each(t *testing.T, f func(t *testing.T, p *products)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) { f(t, plant(t, s)) })
}

// plant creates stores with products.
func plant(t *testing.T, s *ent.Store) *products {
	t.Helper()
	p := &products{Store: s, t: t}
	for _, n := range []int{5, 0, 3} {
		ctx, _ := storetest.Merchant(t, s)
		p.stores = append(p.stores, ctx)
		for range n {
			p.add(ctx, 0)
		}
	}
	return p
}

// add adds a product that was processed some times.
func (p *products) add(ctx context.Context, processed int64) {
	p.t.Helper()
	err := p.InTx(ctx, func(ctx context.Context) error {
		id := xid.New()
		return p.DB(ctx).Product.Create().SetID(id).SetTitle("A").SetHandle(id.String()).
			SetStatus(state.ProductActive).SetPriceMinor(1).SetCurrency("EUR").SetTags([]byte("[]")).
			SetUpdatedAt(id.Time()).SetInventoryQuantity(processed).Exec(ctx)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// job returns the job of a process. It processes two products at a time, in two stages.
func (p *products) job(version int, format ent.Format) *backfill.Job {
	return &backfill.Job{Store: p.Store, Name: "raise", Version: version, Format: format, Stages: 2,
		Step: func(ctx context.Context, _ int, after xid.ID) (last xid.ID, err error) {
			query := p.DB(ctx).Product.Query().Where(product.IDGT(after)).Order(product.ByID()).Limit(2)
			query.Modify(ent.ForUpdate)
			rows, err := query.Load(ctx)
			for _, row := range rows {
				last = row.ID
				raise := p.DB(ctx).Product.Update().Where(product.ID(row.ID)).AddInventoryQuantity(1)
				err = errors.Join(err, raise.Exec(ctx))
			}
			return last, err
		}}
}

func (p *products) run(jobs ...*backfill.Job) {
	p.t.Helper()
	for _, j := range jobs {
		if err := j.Run(p.t.Context()); err != nil {
			p.t.Fatal(err)
		}
	}
}

// raised checks how often each product was processed.
func (p *products) raised(want int64) {
	p.t.Helper()
	for i, ctx := range p.stores {
		rows, err := p.DB(ctx).Product.Query().Load(ctx)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, row := range rows {
			if *row.InventoryQuantity != want {
				p.t.Errorf("a product of store %d was processed %d times, want %d", i, *row.InventoryQuantity, want)
			}
		}
	}
}

// TestOnce: a job runs to its end once. A later start costs one statement, and later rounds none. A
// higher version runs again, and then the lower one does nothing.
func TestOnce(t *testing.T) {
	each(t, func(t *testing.T, p *products) {
		job := p.job(1, "")
		p.run(job)
		p.raised(2)
		for i, j := range []*backfill.Job{job, p.job(1, "")} {
			ctx, n := ent.CountStatements(t.Context())
			if err := j.Run(ctx); err != nil || n.N() != uint64(i) {
				t.Errorf("start %d: %d statements, %v", i, n.N(), err)
			}
		}
		p.run(p.job(2, ""), p.job(1, ""))
		p.raised(4)
	})
}

// TestKilled: another process continues where a killed one stopped, and processes no row twice.
func TestKilled(t *testing.T) {
	each(t, func(t *testing.T, p *products) {
		for after := range 10 {
			j, steps := p.job(1, ""), 0
			step := j.Step
			j.Step = func(ctx context.Context, stage int, at xid.ID) (xid.ID, error) {
				last, err := step(ctx, stage, at)
				if steps++; steps > min(after, 3) {
					err = errKilled
				}
				return last, err
			}
			if err := j.Run(t.Context()); err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
		}
		p.run(p.job(1, ""))
		p.raised(2)
	})
}

// TestTwoProcesses: while one process has a transaction open in a store, another one waits for it,
// and together they process each row once.
func TestTwoProcesses(t *testing.T) {
	each(t, func(t *testing.T, p *products) {
		var running sync.WaitGroup
		var once sync.Once
		var errs [2]error
		first, second := p.job(1, ""), p.job(1, "")
		step := first.Step
		first.Step = func(ctx context.Context, stage int, at xid.ID) (xid.ID, error) {
			last, err := step(ctx, stage, at)
			once.Do(func() {
				started := make(chan struct{})
				running.Go(func() { close(started); errs[1] = second.Run(t.Context()) })
				<-started
			})
			return last, err
		}
		errs[0] = first.Run(t.Context())
		running.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Error(err)
		}
		p.raised(2)
	})
}

// TestPreviousRelease: while the previous release may write, the job runs once. It runs once more,
// and finds what that release wrote behind it, after the format is in use.
func TestPreviousRelease(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		storetest.LimitFormats(t, s)
		p := plant(t, s)
		first := p.job(1, ent.SearchTerms)
		p.run(first, first, p.job(1, ent.SearchTerms))
		p.raised(2)
		p.add(p.stores[1], 2)
		p.run(p.job(1, ""), p.job(1, ""), first) // without a format it is as with one in use
		p.raised(4)
	})
}

// TestMark: the mark belongs to no store, and a process that fails in one store sets none.
func TestMark(t *testing.T) {
	each(t, func(t *testing.T, p *products) {
		marked := func() bool {
			t.Helper()
			ctx := viewer.Operator(t.Context(), ent.NoOwner)
			rows, err := p.DB(ctx).SearchWalk.Query().Load(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return slices.ContainsFunc(rows, func(r *db.SearchWalk) bool { return r.Done })
		}
		j := p.job(1, "")
		step, last := j.Step, viewer.From(p.stores[2]).Store
		j.Step = func(ctx context.Context, stage int, at xid.ID) (xid.ID, error) {
			if viewer.From(ctx).Store == last {
				return xid.Nil, errKilled
			}
			return step(ctx, stage, at)
		}
		if err := j.Run(t.Context()); !errors.Is(err, errKilled) || marked() {
			t.Errorf("got %v, marked %v", err, marked())
		}
		j.Step = step
		if p.run(j); !marked() {
			t.Error("it is not marked")
		}
		p.raised(2)
	})
}
