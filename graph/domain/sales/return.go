package sales

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/orderreturn"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// returnChange is a change of a return within a change of its order.
type returnChange struct {
	action string
	event  event.Type
	edit   func(ctx context.Context, e *orderEdit) error
	write  func(ctx context.Context, e *orderEdit) error
}

// applyReturn changes the order, and with it a return.
func (m Mutation) applyReturn(
	ctx context.Context, o *model.Order, row *db.OrderReturn, c returnChange,
) (*change.Record, error) {
	return m.orders().Apply(ctx, o, c.action,
		func(ctx context.Context, base *change.Edit[*model.Order, *db.OrderUpdate]) error {
			e, err := newEdit(base)
			if err != nil {
				return err
			}
			e.Then = func(ctx context.Context) error { return m.saveParts(ctx, e) }
			if err := c.edit(ctx, e); err != nil {
				return err
			}
			row.UpdatedAt = e.Now
			e.Detail = row.PublicID()
			e.Events = append(e.Events, outbox.Entry{Type: c.event, Object: wire.AppendReturn(nil, row)})
			e.Then = inSequence(func(ctx context.Context) error { return c.write(ctx, e) }, e.Then)
			return nil
		})
}

// returnsOf reads the returns of an order, oldest first. The version of the order guards them.
func (r *Resolver) returnsOf(ctx context.Context, order xid.ID) ([]*db.OrderReturn, error) {
	query := r.Client(ctx).OrderReturn.Query().Where(orderreturn.OrderID(order)).Order(orderreturn.ByID())
	query.Modify(ent.ForceIndex(returnsByOrder))
	rows, err := query.Load(ctx)
	return rows, fault.Wrap("read the returns of an order", err)
}

// returnable returns how many units of a line can be returned beside the returns of its order: those that are
// neither refunded nor in an open return.
func returnable(rows []*db.OrderReturn) (func(*db.OrderLine) int64, error) {
	open := map[string]int64{}
	for _, row := range rows {
		if !isOpen(row) {
			continue
		}
		lines, err := row.Lines.List()
		if err != nil {
			return nil, fault.Wrap("read the lines of a return", err)
		}
		for _, l := range lines {
			open[l.LineID] += l.Quantity
		}
	}
	return func(l *db.OrderLine) int64 { return max(0, refundable(l)-open[l.PublicID()]) }, nil
}

// isOpen reports whether a return can still change.
func isOpen(r *db.OrderReturn) bool {
	return r.State != state.ReturnDeclined && r.State != state.ReturnRefunded
}

// OrderReturnCreate creates a return on behalf of a shopper.
func (m Mutation) OrderReturnCreate(
	ctx context.Context, id string, in model.ReturnInput,
) (p *model.ReturnPayload, err error) {
	if err := checkReturn(in); err != nil {
		return nil, err
	}
	uid, err := core.ParseID(xid.Order, id)
	if err != nil {
		return nil, err
	}
	err = m.retryOnConflict(func() error {
		p, err = core.Commit(ctx, m.Core, xid.Order, func(ctx context.Context) (
			*model.ReturnPayload, *change.Record, error,
		) {
			if !ent.Writes(ctx, ent.Returns) {
				return nil, nil, fault.State(fault.InvalidTransition,
					"Returns are available once the upgrade is finished (storefront migrate finalize).")
			}
			o, err := m.orderWithLines(ctx, uid)
			if err != nil {
				return nil, nil, err
			}
			row, err := m.newReturn(ctx, o, in)
			if err != nil {
				return nil, nil, err
			}
			done, err := m.addReturn(ctx, o, row, func(context.Context, *orderEdit) error { return nil })
			return &model.ReturnPayload{Return: &model.Return{OrderReturn: row, Order: o}}, done, err
		})
		return err
	})
	return p, err
}

// checkReturn checks what does not depend on the order.
func checkReturn(in model.ReturnInput) error {
	c := &core.Check{}
	c.Required("lines", len(in.Lines) > 0)
	core.Opt(in.Note, func(s string) { c.Long("note", s, limit.ReturnText) })
	for i, l := range in.Lines {
		if !l.Reason.Known() {
			c.Add("lines/"+strconv.Itoa(i)+"/reason", fault.UnknownValue, "Unknown reason.")
		}
	}
	checkQuantities(c, quantitiesOf(in.Lines))
	return c.Err()
}

func quantitiesOf(lines []*model.ReturnLineInput) []*model.LineQuantityInput {
	return core.Map(lines, func(l *model.ReturnLineInput) *model.LineQuantityInput {
		return &model.LineQuantityInput{LineItemID: l.LineItemID, Quantity: l.Quantity}
	})
}

// addReturn writes a new return, and then what follows from it.
func (m Mutation) addReturn(
	ctx context.Context, o *model.Order, row *db.OrderReturn, then func(context.Context, *orderEdit) error,
) (*change.Record, error) {
	return m.applyReturn(ctx, o, row, returnChange{action: "order.return_create", event: event.OrderReturnRequested,
		edit: func(context.Context, *orderEdit) error { return nil },
		write: func(ctx context.Context, e *orderEdit) error {
			err := m.Client(ctx).OrderReturn.Create().SetID(row.ID).SetOrderID(row.OrderID).SetState(row.State).
				SetLines(row.Lines).SetByShopper(row.ByShopper).SetWithdrawal(row.Withdrawal).
				SetNillableNote(row.Note).SetNillableName(row.Name).SetNillableEmail(row.Email).
				SetUpdatedAt(row.UpdatedAt).Exec(ctx)
			if err != nil {
				return fault.Wrap("add a return", err)
			}
			return then(ctx, e)
		}})
}

// newReturn returns a return that is not written yet.
func (m Mutation) newReturn(ctx context.Context, o *model.Order, in model.ReturnInput) (*db.OrderReturn, error) {
	if o.Status == state.OrderCancelled {
		return nil, fault.State(fault.InvalidTransition, "The order is cancelled. Its payments can be refunded.")
	}
	rows, err := m.returnsOf(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	if len(rows) >= limit.Returns {
		return nil, fault.State(fault.LimitReached, "The order has too many returns.")
	}
	left, err := returnable(rows)
	if err != nil {
		return nil, err
	}
	if _, err := pick(o, quantitiesOf(in.Lines), left); err != nil {
		return nil, err
	}
	lines := make([]document.ReturnLine, len(in.Lines))
	for i, l := range in.Lines {
		lines[i] = document.ReturnLine{LineID: l.LineItemID, Quantity: l.Quantity, Reason: l.Reason}
	}
	return &db.OrderReturn{StoreID: o.StoreID, ID: xid.New(), Version: 1, OrderID: o.ID, State: state.ReturnRequested,
		Lines: document.NewReturnLines(lines), Note: in.Note}, nil
}

// The indexes of returns.
const (
	returnsByOrder = "orderreturn_store_id_order_id_id"
	returnsByState = "orderreturn_store_id_state_id"
)

// Returns lists the returns of the viewer's store, newest first.
func (q Query) Returns(
	ctx context.Context, first *int, after *string, filter *model.ReturnFilter,
) (*model.ReturnConnection, error) {
	f, index := model.ReturnFilter{}, ent.Primary
	if filter != nil {
		f = *filter
	}
	var names []string
	query := func() *db.OrderReturnQuery { return q.Client(ctx).OrderReturn.Query() }
	core.Opt(f.State, func(s state.ReturnState) {
		index, names = returnsByState, append(names, "state", string(s))
	})
	var of xid.ID
	if f.OrderID != nil {
		id, err := core.ParseID(xid.Order, *f.OrderID)
		if err != nil {
			return nil, err
		}
		of, index, names = id, returnsByOrder, append(names, "order_id", id.String())
	}
	c, err := core.Connect(ctx, q.Core, core.List[*db.OrderReturn]{Name: "returns", Filters: names,
		At: func(r *db.OrderReturn) page.Position { return core.ByID(r.ID) },
		Read: core.ReadNewest(index, func() *db.OrderReturnQuery {
			rows := query()
			core.Opt(f.State, func(s state.ReturnState) { rows.Where(orderreturn.StateEQ(s)) })
			core.Opt(f.OrderID, func(string) { rows.Where(orderreturn.OrderID(of)) })
			return rows
		}, core.Self),
	}, first, after)
	if err != nil {
		return nil, err
	}
	shown, err := q.withOrders(ctx, c.Nodes)
	if err != nil {
		return nil, core.Explain("orders", err)
	}
	if err := q.withFiles(ctx, shown); err != nil {
		return nil, core.Explain("returns", err)
	}
	return &model.ReturnConnection{Nodes: shown, Next: c.Next,
		Sign: func(r *model.Return) string { return c.Sign(r.OrderReturn) }}, nil
}

// OrderReturn returns a return of the viewer's store.
func (q Query) OrderReturn(ctx context.Context, id string) (*model.Return, error) {
	return core.Get(ctx, xid.Return, id, func(ctx context.Context, id xid.ID) (*model.Return, error) {
		row, err := core.Only(q.Client(ctx).OrderReturn.Query().Where(orderreturn.ID(id)).Load(ctx))
		if err != nil {
			return nil, err
		}
		shown, err := q.withOrders(ctx, []*db.OrderReturn{row})
		if err != nil {
			return nil, err
		}
		return shown[0], q.withFiles(ctx, shown)
	})
}

// withOrders reads the orders of returns, unless GraphQL asks for none.
func (q Query) withOrders(ctx context.Context, rows []*db.OrderReturn) ([]*model.Return, error) {
	var ids []xid.ID
	if core.Selects(ctx, "order") {
		ids = core.IDs(rows, func(r *db.OrderReturn) *xid.ID { return &r.OrderID })
	}
	if core.Selects(ctx, "exchange") {
		ids = append(ids, core.IDs(rows, func(r *db.OrderReturn) *xid.ID { return r.ExchangeID })...)
	}
	orders, err := q.ordersOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	all, err := q.withLines(ctx, orders)
	if err != nil {
		return nil, err
	}
	of := map[xid.ID]*model.Order{}
	for _, o := range all {
		of[o.ID] = o
	}
	return core.Map(rows, func(r *db.OrderReturn) *model.Return {
		shown := &model.Return{OrderReturn: r, Order: of[r.OrderID]}
		core.Opt(r.ExchangeID, func(id xid.ID) { shown.Exchange = of[id] })
		return shown
	}), nil
}

// deliveryDays are allowed for the delivery of shipped items: the period to withdraw begins when the shopper
// has them, and no carrier reports when that is.
const deliveryDays = 7

// ReturnWay is how a shopper gives back items: by a request that the store may decline, or by a withdrawal
// from the contract.
type ReturnWay int

// The values of [ReturnWay].
const (
	ByRequest ReturnWay = iota
	ByWithdrawal
)

// Withdraws reports whether shoppers can withdraw from contracts online: as the store chose, or else if the
// country of its VAT id or that of the shopper is in the European Economic Area, where Article 11a of Directive
// 2011/83/EU applies (inserted by Directive (EU) 2023/2673). shopper is "" if it is unknown.
func Withdraws(terms document.ReturnTerms, vatID *string, shopper string) bool {
	if terms.Withdrawal != nil {
		return *terms.Withdrawal
	}
	_, home, ok := country.VATID(core.Deref(vatID))
	return ok && country.InEconomicArea(home) || country.InEconomicArea(shopper)
}

// destination returns the country to which an order goes, or else that of the buyer; "" if neither is known.
func destination(o *db.Order) (string, error) {
	to := o.ShippingAddress
	if to == nil {
		to = o.BillingAddress
	}
	address, err := to.Fields()
	if err != nil {
		return "", fmt.Errorf("read the address: %w", err)
	}
	if address == nil {
		return "", nil
	}
	return address.Country, nil
}

// Returnable says what of an order can be returned.
type Returnable struct {
	Terms   document.ReturnTerms
	Returns []*db.OrderReturn // oldest first
	// Files are the files of the returns by their ids.
	Files map[xid.ID][]*db.ReturnFile
	// Photos says that a request can have photos.
	Photos bool
	// Zone is the time zone of the store.
	Zone *time.Location

	order     *db.Order
	country   string  // of the destination, "" if it is unknown
	offers    [2]bool // by [ReturnWay]
	began     *micros.Time
	delivered bool // counts deliveryDays
	excluded  map[xid.ID]bool
	left      func(*db.OrderLine) int64
}

// Returnable reads what of an order can be returned.
func (r *Resolver) Returnable(ctx context.Context, o *db.Order, lines []*db.OrderLine) (*Returnable, error) {
	s, err := r.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	f, err := s.Storefront.Fields()
	if err != nil {
		return nil, fmt.Errorf("read the storefront: %w", err)
	}
	t := &Returnable{Terms: f.Terms(), order: o, Photos: r.Images != nil && r.Store.Uses(ent.CustomFields)}
	if t.Zone, err = time.LoadLocation(s.Timezone); err != nil {
		return nil, fmt.Errorf("time zone %s: %w", s.Timezone, err)
	}
	vatID, err := r.selling.VATID(ctx)
	if err != nil {
		return nil, err
	}
	if t.country, err = destination(o); err != nil {
		return nil, err
	}
	if o.Email != nil && r.Store.Uses(ent.ShopperReturns) { // the receipt needs an address
		t.offers = [2]bool{t.Terms.Requests && s.Status == state.StoreOpen, Withdraws(t.Terms, vatID, t.country)}
	}
	if t.Returns, err = r.returnsOf(ctx, o.ID); err != nil {
		return nil, err
	}
	if t.Files, err = r.filesOf(ctx, core.Map(t.Returns, func(r *db.OrderReturn) xid.ID { return r.ID })); err != nil {
		return nil, err
	}
	if t.left, err = returnable(t.Returns); err != nil {
		return nil, err
	}
	t.begin(lines)
	return t, r.exclude(ctx, t, lines)
}

// begin sets when the time to return the order begins: when the last item is shipped (Article 9(2)(b)(i) of
// Directive 2011/83/EU), or, if nothing is shipped, with the contract (Article 9(2)(a) and (c)).
func (t *Returnable) begin(lines []*db.OrderLine) {
	t.delivered = slices.ContainsFunc(lines, func(l *db.OrderLine) bool { return l.RequiresShipping })
	switch {
	case !t.delivered:
		t.began = &t.order.PlacedAt
	case t.order.FulfillmentStatus == state.FulfillmentFulfilled:
		t.began = t.order.FulfilledAt
	}
}

// exclude finds the lines whose products have a tag that excludes them. A product that was deleted is not
// excluded.
func (r *Resolver) exclude(ctx context.Context, t *Returnable, lines []*db.OrderLine) error {
	if len(t.Terms.ExcludedTags) == 0 || t.offers == [2]bool{} {
		return nil
	}
	t.excluded = map[xid.ID]bool{}
	ids := core.IDs(lines, func(l *db.OrderLine) *xid.ID { return l.ProductID })
	if len(ids) == 0 {
		return nil
	}
	rows, err := r.Client(ctx).Product.Query().Where(product.IDIn(ids...)).Load(ctx)
	if err != nil {
		return fmt.Errorf("read products of an order: %w", err)
	}
	for _, p := range rows {
		tags, err := p.Tags.List()
		if err != nil {
			return fmt.Errorf("read the tags of a product: %w", err)
		}
		t.excluded[p.ID] = slices.ContainsFunc(tags, func(s string) bool {
			return slices.Contains(t.Terms.ExcludedTags, s)
		})
	}
	return nil
}

// Offers reports whether the store offers a way.
func (t *Returnable) Offers(way ReturnWay) bool { return t.offers[way] }

// Until returns when the time to return the order ends, nil if it has not begun: at midnight behind its last
// day. Like other periods of the European Union, it does not end on a weekend (Regulation 1182/71, Article 3).
func (t *Returnable) Until(way ReturnWay) (*micros.Time, error) {
	if t.began == nil {
		return nil, nil
	}
	days := t.Terms.Days
	for _, c := range t.Terms.Countries {
		if c.Country == t.country {
			days = c.Days
		}
	}
	if way == ByWithdrawal {
		days = max(days, document.DefaultReturnDays)
	}
	if t.delivered {
		days += deliveryDays
	}
	day := t.began.Time().In(t.Zone).AddDate(0, 0, int(days))
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		day = day.AddDate(0, 0, 1)
	}
	return new(micros.Of(time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, 0, 0, t.Zone))), nil
}

// MayReturn returns how many units of a line the shopper may return at a time, or why none.
func (t *Returnable) MayReturn(l *db.OrderLine, way ReturnWay, now micros.Time) (int64, state.ReturnRefusal, error) {
	o := t.order
	until, err := t.Until(way)
	if err != nil {
		return 0, "", err
	}
	units := t.left(l)
	if way == ByRequest && l.RequiresShipping {
		units = min(units, l.FulfilledQuantity)
	}
	switch {
	case !t.offers[way]:
		return 0, state.RefusedOff, nil
	case o.Status == state.OrderCancelled:
		return 0, state.RefusedCancelled, nil
	case o.PaidMinor == 0 && o.PaymentMethod != nil && HeldCart(*o.PaymentMethod, o.TotalMinor):
		return 0, state.RefusedUnpaid, nil
	case l.ProductID != nil && t.excluded[*l.ProductID]:
		return 0, state.RefusedExcluded, nil
	case t.left(l) == 0:
		return 0, state.RefusedNoneLeft, nil
	case units == 0:
		return 0, state.RefusedUnshipped, nil
	case until != nil && now >= *until:
		return 0, state.RefusedExpired, nil
	}
	return units, "", nil
}

// Best returns the way that allows the shopper more: a withdrawal, if the store offers it.
func (t *Returnable) Best() ReturnWay {
	if t.offers[ByWithdrawal] {
		return ByWithdrawal
	}
	return ByRequest
}
