package rule_test

import (
	"context"
	"errors"
	"testing"

	"entgo.io/ent"
	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// mutation implements the parts of a generated mutation that the policy uses.
type mutation struct {
	ent.Mutation
	op       ent.Op
	store    any
	filtered int
}

func (m *mutation) Op() ent.Op                           { return m.op }
func (m *mutation) Type() string                         { return "Thing" }
func (m *mutation) Field(string) (ent.Value, bool)       { return m.store, m.store != nil }
func (m *mutation) SetField(_ string, v ent.Value) error { m.store = v; return nil }
func (m *mutation) WhereP(ps ...func(*sql.Selector))     { m.filtered += len(ps) }

func TestTenant(t *testing.T) {
	mine, other := xid.New(), xid.New()
	inStore := viewer.Operator(t.Context(), mine)
	for _, tc := range []struct {
		name     string
		ctx      context.Context
		m        mutation
		denied   bool
		filtered int
		store    any
	}{
		{name: "no viewer", ctx: t.Context(), m: mutation{op: ent.OpUpdate}, denied: true},
		{name: "update", ctx: inStore, m: mutation{op: ent.OpUpdate}, filtered: 1},
		{name: "delete", ctx: inStore, m: mutation{op: ent.OpDelete}, filtered: 1},
		{name: "update of one", ctx: inStore, m: mutation{op: ent.OpUpdateOne}, denied: true},
		{name: "delete of one", ctx: inStore, m: mutation{op: ent.OpDeleteOne}, denied: true},
		{name: "update of one everywhere", ctx: viewer.Everywhere(t.Context()), m: mutation{op: ent.OpUpdateOne},
			denied: true},
		{name: "create", ctx: inStore, m: mutation{op: ent.OpCreate}, store: mine},
		{name: "create in own store", ctx: inStore, m: mutation{op: ent.OpCreate, store: mine}, store: mine},
		{name: "create in another store", ctx: inStore, m: mutation{op: ent.OpCreate, store: other}, denied: true,
			store: other},
		{name: "update everywhere", ctx: viewer.Everywhere(t.Context()), m: mutation{op: ent.OpUpdate}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := rule.Tenant().EvalMutation(tc.ctx, &tc.m)
			if errors.Is(err, rule.ErrDenied) != tc.denied || (err == nil) == tc.denied {
				t.Errorf("got %v", err)
			}
			if tc.m.filtered != tc.filtered || tc.m.store != tc.store {
				t.Errorf("filtered %d times, store %v", tc.m.filtered, tc.m.store)
			}
		})
	}
}

func TestQuery(t *testing.T) {
	q := &mutation{}
	if err := rule.Self().EvalQuery(viewer.Operator(t.Context(), xid.New()), q); err != nil || q.filtered != 1 {
		t.Errorf("filtered %d times, %v", q.filtered, err)
	}
	if err := rule.Tenant().EvalQuery(t.Context(), q); !errors.Is(err, rule.ErrDenied) {
		t.Errorf("no viewer: got %v", err)
	}
	// Without predicates there is no filter.
	if err := rule.Tenant().EvalQuery(viewer.Operator(t.Context(), xid.New()), "query"); !errors.Is(err,
		rule.ErrDenied) {
		t.Errorf("got %v", err)
	}
}

// A row that is written without the generated code belongs to the viewer's store too, or is not
// written.
func TestStamp(t *testing.T) {
	mine := xid.New()
	if got, err := rule.Stamp(viewer.Operator(t.Context(), mine)); got != mine || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	for name, ctx := range map[string]context.Context{
		"no viewer": t.Context(), "everywhere": viewer.Everywhere(t.Context()),
		"no store": viewer.Operator(t.Context(), xid.Nil),
	} {
		if got, err := rule.Stamp(ctx); !errors.Is(err, rule.ErrDenied) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}
