package selling

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/paymentsettings"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// paymentEdit is a change of the payment settings.
type paymentEdit = change.Edit[*model.PaymentSettings, *db.PaymentSettingsUpdate]

// payments returns how the settings change. Their row has the store's id.
func (r *Resolver) payments() *change.Versioned[*model.PaymentSettings, *db.PaymentSettingsUpdate] {
	return &change.Versioned[*model.PaymentSettings, *db.PaymentSettingsUpdate]{
		Kind: xid.Store,
		Load: func(ctx context.Context, _ xid.ID) (*model.PaymentSettings, error) { return r.paymentSettings(ctx) },
		Head: func(p *model.PaymentSettings) change.Head {
			return change.Head{Store: p.StoreID, ID: p.ID, Version: &p.Version, UpdatedAt: &p.PaymentSettings.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.PaymentSettingsUpdate {
			return r.Client(ctx).PaymentSettings.Update().
				Where(paymentsettings.ID(id), paymentsettings.Version(version))
		},
	}
}

// PaymentSettings returns the payment settings of the viewer's store.
func (q Query) PaymentSettings(ctx context.Context) (*model.PaymentSettings, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	p, err := q.paymentSettings(ctx)
	return p, core.Explain("payment settings", err)
}

// paymentSettings reads the settings. A store that never changed them has version 0 and no row.
func (r *Resolver) paymentSettings(ctx context.Context) (*model.PaymentSettings, error) {
	row, err := r.paymentRow(ctx)
	if err != nil {
		return nil, err
	}
	account, err := r.accountView(ctx)
	if err != nil {
		return nil, err
	}
	kinds, err := r.MethodKinds(ctx)
	if err != nil {
		return nil, err
	}
	return &model.PaymentSettings{PaymentSettings: row, Kinds: kinds, Stripe: account}, nil
}

// paymentRow is [Resolver.paymentSettings] without the account. A test store that never changed
// them accepts test payments, which move no money.
func (r *Resolver) paymentRow(ctx context.Context) (*db.PaymentSettings, error) {
	store := viewer.From(ctx).Store
	rows, err := r.Client(ctx).PaymentSettings.Query().Where(paymentsettings.ID(store)).Load(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		test, err := r.TestStore(ctx)
		var methods []document.PaymentMethod
		if test {
			methods = []document.PaymentMethod{{Kind: state.PaymentTest, Name: "Test payment", Active: true}}
		}
		return &db.PaymentSettings{StoreID: store, ID: store, Methods: document.NewPaymentMethods(methods)}, err
	}
	return rows[0], nil
}

// CartMethods returns the payment methods of the viewer's store.
func (r *Resolver) CartMethods(ctx context.Context) ([]document.PaymentMethod, error) {
	p, err := r.paymentRow(ctx)
	if err != nil {
		return nil, core.Explain("payment settings", err)
	}
	all, err := p.Methods.List()
	if err != nil {
		return nil, err
	}
	kinds, err := r.MethodKinds(ctx)
	if err != nil {
		return nil, core.Explain("payment settings", err)
	}
	all = slices.DeleteFunc(all, func(m document.PaymentMethod) bool {
		return !m.Active || !slices.Contains(kinds, m.Kind)
	})
	isStripe := func(m document.PaymentMethod) bool { return m.Kind == state.PaymentStripe }
	if !slices.ContainsFunc(all, isStripe) {
		return all, nil
	}
	account, err := r.accountView(ctx)
	if err != nil {
		return nil, core.Explain("payment settings", err)
	}
	if !account.Connected {
		all = slices.DeleteFunc(all, isStripe)
	}
	return all, nil
}

// MethodKinds returns the payment methods that the viewer's store may offer. A test store has test
// payments, which move no money, and nothing else: everything that takes or configures payments
// asks here.
func (r *Resolver) MethodKinds(ctx context.Context) ([]state.PaymentMethod, error) {
	test, err := r.TestStore(ctx)
	if err != nil {
		return nil, err
	}
	if test {
		return []state.PaymentMethod{state.PaymentTest}, nil
	}
	kinds := []state.PaymentMethod{state.PaymentTransfer, state.PaymentOnDelivery, state.PaymentStripe}
	if r.TestPayments {
		kinds = append(kinds, state.PaymentTest)
	}
	return kinds, nil
}

// PaymentSettingsUpdate replaces the payment settings of the viewer's store.
func (m Mutation) PaymentSettingsUpdate(
	ctx context.Context, expectedVersion int64, in model.PaymentSettingsInput,
) (*model.PaymentSettingsPayload, error) {
	kinds, err := m.MethodKinds(ctx)
	if err != nil {
		return nil, core.Explain("payment settings", err)
	}
	methods, err := checkMethods(in, kinds)
	if err != nil {
		return nil, err
	}
	id := xid.Store.Format(viewer.From(ctx).Store)
	p, err := core.Change(ctx, m.Core, m.payments(), id, expectedVersion, "payment_settings.update",
		func(ctx context.Context, e *paymentEdit) error {
			core.MemberDoc(&e.Changed, document.NewPaymentMethods(methods), true, "methods", &e.Row.Methods,
				e.Update.SetMethods, nil)
			if offers(methods, state.PaymentStripe) && !e.Row.Stripe.Connected {
				return fault.State(fault.InvalidTransition, "Set the Stripe keys first.")
			}
			if e.Row.Version == 0 && len(e.Changed) > 0 {
				return m.beginPayments(ctx, e.Row.PaymentSettings)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	return &model.PaymentSettingsPayload{PaymentSettings: p}, nil
}

// beginPayments creates the row that the first change updates. The second of two concurrent first
// changes fails.
func (m Mutation) beginPayments(ctx context.Context, p *db.PaymentSettings) error {
	err := m.Client(ctx).PaymentSettings.Create().SetID(p.ID).SetVersion(0).SetMethods(p.Methods).
		SetUpdatedAt(p.ID.Time()).Exec(ctx)
	if ent.IsDuplicate(err) {
		return fault.State(fault.VersionMismatch, "The payment settings were changed in the meantime. Read them again.")
	}
	if err != nil {
		return fmt.Errorf("add payment settings: %w", err)
	}
	return nil
}

// checkMethods validates payment methods of the allowed kinds, at most one of each kind, and
// returns them in stored form.
func checkMethods(in model.PaymentSettingsInput, kinds []state.PaymentMethod) ([]document.PaymentMethod, error) {
	c := &core.Check{}
	if !checkCount(c, "methods", len(in.Methods), limit.PaymentMethods) {
		return nil, c.Err()
	}
	methods := make([]document.PaymentMethod, len(in.Methods))
	for i, m := range in.Methods {
		at := "methods/" + strconv.Itoa(i) + "/"
		c.Line(at+"name", m.Name, limit.Label)
		if m.Instructions != "" {
			c.Long(at+"instructions", m.Instructions, limit.Note)
		}
		if slices.ContainsFunc(methods[:i], func(o document.PaymentMethod) bool { return o.Kind == m.Kind }) {
			c.Add(at+"kind", fault.Taken, "Another payment method has this kind.")
		}
		if !slices.Contains(kinds, m.Kind) {
			c.Add(at+"kind", fault.UnknownValue, "This store cannot offer this payment method.")
		}
		methods[i] = document.PaymentMethod{Kind: m.Kind, Name: m.Name, Instructions: m.Instructions,
			Active: m.Active}
	}
	return methods, c.Err()
}
