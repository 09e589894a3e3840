package sales

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/model"
)

// ErrConflict says that another transaction changed the rows that an order was computed from, or created
// the same customer. The caller reads them again and retries.
var ErrConflict = errors.New("another transaction changed what the order was computed from")

// sourceShop is the source of orders from the storefront.
const sourceShop = "storefront"

// Placing is the input of a shopper's order.
type Placing struct {
	Store  *db.Store
	Number int64 // from [Resolver.Number]
	// Cart is the cart that becomes the order.
	Cart  xid.ID
	Email string // in lower case
	Phone string
	VATID string // in its official form, "" for none
	// VATConsultation is the number under which VIES confirmed VATID, nil for none.
	VATConsultation *string
	// Address is nil if nothing is shipped and the shopper gave none.
	Address *document.AddressFields
	// Billing is nil if it is Address.
	Billing *document.AddressFields
	// Ships says that the order is shipped to the address.
	Ships bool
	Lines []PlacedLine
	// Quote is the price of the lines.
	Quote *selling.Quote
	// Discount is already validated; nil for none.
	Discount      *db.Discount
	PaymentMethod state.PaymentMethod
	// Notice is the notice to the store's staff; test stores get none.
	Notice OrderNotice
	// Note is the shopper's message, "" for none.
	Note string
}

// PlacedLine is one line of the order.
type PlacedLine struct {
	Product *db.Product
	// Variant is nil if the product has no options.
	Variant   *db.Variant
	SKU       *string
	Quantity  int64
	UnitMinor int64
}

// Number returns an unused order number of the viewer's store. Call it before the transaction of
// the order; inside, others would wait for it.
func (r *Resolver) Number(ctx context.Context) (int64, error) { return r.numbers.next(ctx) }

// Placement is a shopper's order that is computed but not written yet.
type Placement struct {
	m      Mutation
	p      Placing
	draft  orderDraft
	order  *db.Order
	lines  []*db.OrderLine
	events []event.Type
}

// Prepare finds the customer of an order and computes its rows.
func (r *Resolver) Prepare(ctx context.Context, p Placing) (*Placement, error) {
	m := r.Mutation()
	known, err := m.known(ctx, p.Email)
	if err != nil {
		return nil, err
	}
	o := &Placement{m: m, p: p, draft: orderDraft{store: p.Store, customer: known,
		billing: cmp.Or(p.Billing, p.Address), need: stock{}, quote: p.Quote, discount: p.Discount}}
	if p.Ships {
		o.draft.shipping = p.Address
	}
	if p.VATID != "" {
		o.draft.vatID = &p.VATID
	}
	o.order, o.lines = p.rows(&o.draft)
	o.events = begin(ctx, o.order)
	return o, nil
}

// ID returns the id of the order.
func (o *Placement) ID() xid.ID { return o.order.ID }

// Place writes the order and everything that follows from it in the transaction of ctx, and returns
// its record.
func (o *Placement) Place(ctx context.Context) (*change.Record, error) {
	m, d := o.m, o.draft
	if d.customer == nil {
		var err error
		if d.customer, err = m.createGuest(ctx, o.p); err != nil {
			return nil, err
		}
		o.order.UpdatedAt = max(micros.Now(), o.order.PlacedAt) // the customer's event comes first
	}
	o.order.UpdatedAt = moment.Raise(ctx, o.order.UpdatedAt)
	if o.p.Discount != nil {
		if err := m.selling.TakeDiscount(ctx, o.p.Discount.ID, d.customer.ID); err != nil {
			return nil, err
		}
	}
	shown, err := m.insertOrder(ctx, &d, o.order, o.lines)
	if errors.Is(err, errRedacted) {
		return nil, ErrConflict // the customer was redacted meanwhile: retry as a guest
	} else if err != nil {
		return nil, err
	}
	if o.p.Note != "" {
		note := m.noteRow(ctx, xid.New(), o.ID(), model.OrderNoteInput{Body: o.p.Note, Visibility: state.NoteInternal})
		if err := note.Exec(ctx); err != nil {
			return nil, fmt.Errorf("add the note: %w", err)
		}
	}
	if err := m.invoices.IssueDue(ctx, shown.Order, lineRows(shown), o.events); err != nil {
		return nil, err
	}
	due, err := m.hold(ctx, o.p.Store, o.order)
	if err != nil {
		return nil, err
	}
	if err := m.sendEmails(ctx, shown, o.events, mailDetails{customer: d.customer, due: due}); err != nil {
		return nil, err
	}
	if err := m.announce(ctx, shown, o.p.Notice); err != nil {
		return nil, err
	}
	return m.orders().Created(shown, "order.place", "", o.events...), nil
}

// rows returns the rows of the order and its lines, and adds the stock that they need to d.
func (p Placing) rows(d *orderDraft) (*db.Order, []*db.OrderLine) {
	o := &db.Order{ID: xid.New(), Number: p.Number, Email: &p.Email, Tags: document.NewTags(nil), Source: sourceShop,
		CartID: &p.Cart, PaymentMethod: &p.PaymentMethod, Language: &p.Store.Language,
		VatConsultation: p.VATConsultation}
	if p.Note != "" {
		o.NotesCount = 1
	}
	lines := make([]*db.OrderLine, len(p.Lines))
	for i, l := range p.Lines {
		w, left := item{product: l.Product.ID}, l.Product.InventoryQuantity
		lines[i] = &db.OrderLine{ProductID: &l.Product.ID, Title: l.Product.Title, Sku: l.SKU, Quantity: l.Quantity,
			UnitPriceMinor: l.UnitMinor, RequiresShipping: l.Product.RequiresShipping}
		if l.Variant != nil {
			w.variant, left = l.Variant.ID, l.Variant.InventoryQuantity
			lines[i].VariantID, lines[i].Options = &l.Variant.ID, l.Variant.Options
		}
		if left != nil {
			d.need[w] += l.Quantity
		}
	}
	d.priced(o, lines)
	return o, lines
}

// customerByEmail returns the customer with an email address in any of its [mailbox.Forms], nil if
// there is none.
func (m Mutation) known(ctx context.Context, email string) (*db.Customer, error) {
	for _, form := range mailbox.Forms(email) {
		rows, err := m.Client(ctx).Customer.Query().Where(customer.Email(form)).Load(ctx)
		if err != nil {
			return nil, fmt.Errorf("find the customer: %w", err)
		}
		if len(rows) > 0 {
			return rows[0], nil
		}
	}
	return nil, nil
}

// createGuest creates a guest customer for the order.
func (m Mutation) createGuest(ctx context.Context, p Placing) (row *db.Customer, err error) {
	in := model.CustomerCreateInput{Email: &p.Email, Status: state.CustomerGuest,
		EmailMarketing: state.EmailNotSubscribed, Locale: new(string(p.Store.Language))}
	if p.Phone != "" {
		in.Phone = &p.Phone
	}
	docs := customerDocs{addresses: document.NewAddresses(nil)}
	if p.Address != nil {
		docs = customerDocs{defaultAddress: document.NewAddress(p.Address),
			addresses: document.NewAddresses([]document.AddressFields{*p.Address})}
	}
	if p.Address != nil && p.Address.Name != nil {
		first, last, _ := strings.Cut(*p.Address.Name, " ")
		in.FirstName = &first
		if last != "" {
			in.LastName = &last
		}
	}
	err = m.Commit(ctx, xid.Customer, func(ctx context.Context) (_ *change.Record, err error) {
		row, err = m.customerRow(ctx, in, docs, nil).Save(ctx)
		if ent.IsDuplicate(err) {
			return nil, ErrConflict
		}
		if err == nil {
			err = search.For(ctx, m.Store).Mark(ctx, search.Customers, row.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("add the customer: %w", err)
		}
		return m.customers(p.Store.Currency).Created(row, "customer.create", "", event.CustomerCreated), nil
	})
	return row, err
}
