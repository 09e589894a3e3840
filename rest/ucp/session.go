package ucp

import (
	"errors"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/price"
	"github.com/storefront-go/storefront/rest/checkout"
)

type region = country.Region

// States of a session.
const (
	incomplete = "incomplete"
	escalated  = "requires_escalation"
	ready      = "ready_for_complete"
	inProgress = "complete_in_progress"
	completed  = "completed"
	canceled   = "canceled"
)

// session is a checkout session as programs see it.
type session struct {
	UCP         metadata     `json:"ucp"`
	ID          string       `json:"id"`
	Status      string       `json:"status"`
	Currency    string       `json:"currency"`
	LineItems   []lineItem   `json:"line_items"`
	Buyer       *buyer       `json:"buyer,omitempty"`
	Totals      []total      `json:"totals"`
	Messages    []message    `json:"messages,omitempty"`
	Links       []pageLink   `json:"links"`
	ContinueURL string       `json:"continue_url,omitempty"`
	Payment     payment      `json:"payment"`
	Fulfillment *fulfillment `json:"fulfillment,omitempty"`
	Discounts   *discounts   `json:"discounts,omitempty"`
	Order       *orderLink   `json:"order,omitempty"`
}

type item struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Price    int64  `json:"price"`
	ImageURL string `json:"image_url,omitempty"`
}

type lineItem struct {
	ID       string  `json:"id"`
	Item     item    `json:"item"`
	Quantity int64   `json:"quantity"`
	Totals   []total `json:"totals"`
}

// total is a sum in the minor unit of the currency.
type total struct {
	Type   string `json:"type"`
	Amount int64  `json:"amount"`
}

type payment struct {
	Handlers    []handler  `json:"handlers"`
	Instruments []struct{} `json:"instruments"`
}

type orderLink struct {
	ID        string `json:"id"`
	Permalink string `json:"permalink_url"`
}

type fulfillment struct {
	Methods []method `json:"methods"`
}

type method struct {
	ID           string        `json:"id"`
	Type         string        `json:"type"`
	Lines        []string      `json:"line_item_ids"`
	Destinations []destination `json:"destinations,omitempty"`
	Chosen       string        `json:"selected_destination_id,omitempty"`
	Groups       []group       `json:"groups,omitempty"`
}

type group struct {
	ID      string   `json:"id"`
	Lines   []string `json:"line_item_ids"`
	Options []option `json:"options"`
	Chosen  string   `json:"selected_option_id,omitempty"`
}

type option struct {
	ID     string  `json:"id"`
	Title  string  `json:"title"`
	Totals []total `json:"totals"`
}

type discounts struct {
	Codes   []string  `json:"codes"`
	Applied []applied `json:"applied"`
}

type applied struct {
	Code   string `json:"code"`
	Title  string `json:"title"`
	Amount int64  `json:"amount"`
}

// shown returns the session as the program sees it.
func (c *call) shown(status int, token string, v *cart.View) (answer, error) {
	s := &session{UCP: named("checkout", "fulfillment", "discount", "buyer_consent"), ID: token,
		Currency: c.shop.Currency, LineItems: []lineItem{}, Totals: []total{}}
	var err error
	if s.Links, err = c.links(); err != nil {
		return answer{}, err
	}
	if s.Payment.Handlers, err = c.handlers(); err != nil {
		return answer{}, err
	}
	s.Payment.Instruments = []struct{}{}
	if v.Order.IsNil() {
		c.pending(s, v)
	} else if err := c.ordered(s, v); err != nil {
		return answer{}, err
	}
	return answer{status: status, body: s}, nil
}

// pending fills in what a session without an order shows.
func (c *call) pending(s *session, v *cart.View) {
	for _, l := range v.Lines {
		li := lineItem{ID: idOf(l.ProductRef), Quantity: l.Quantity, Totals: []total{
			{"subtotal", l.Amounts.SubtotalMinor}, {"total", l.Amounts.TotalMinor}}}
		li.Item = item{ID: li.ID, Title: titleOf(l.Title, l.Options), Price: l.UnitMinor()}
		if d := l.Amounts.DiscountMinor; d > 0 {
			li.Totals = append(li.Totals, total{"items_discount", d})
		}
		if l.Upload != nil {
			li.Item.ImageURL = c.absolute(images.Path(l.Upload, images.Widths(l.Upload.ContentType, l.Upload.Width)[0]))
		}
		s.LineItems = append(s.LineItems, li)
	}
	s.Totals = totalsOf(v.Sums, v.Rate != nil)
	s.Buyer = buyerOf(v.Session)
	c.shipping(s, v)
	s.Discounts = discountsOf(v)
	s.Messages = c.messages(s, v)
	s.Status = c.statusOf(s, v)
	if s.Status != canceled {
		s.ContinueURL = c.origin() + checkout.ResumeRoot + s.ID
	}
}

// statusOf returns the state of a session without an order, from what the pages would ask for next.
func (c *call) statusOf(s *session, v *cart.View) string {
	if v.Session.Canceled {
		return canceled
	}
	next := c.next(s, v)
	switch {
	case next != cart.StepReview:
		return incomplete
	case len(s.Payment.Handlers) == 0 || v.Session.HandedOver:
		return escalated
	}
	return ready
}

// next returns the step that a program has to take: it need not choose a payment method, and in a test
// store not name the shopper.
func (c *call) next(s *session, v *cart.View) cart.Step {
	paid := *v
	if paid.Method == nil {
		paid.Method = &document.PaymentMethod{Kind: state.PaymentTest}
	}
	if next := paid.Next(); next != cart.StepDetails || !c.shop.Test || len(s.Payment.Handlers) == 0 {
		return next
	}
	switch {
	case v.Ships && v.Address == nil:
		return cart.StepDetails
	case v.Ships && v.Rate == nil:
		return cart.StepDelivery
	}
	return cart.StepReview
}

// messages says what stands in the way of the order.
func (c *call) messages(s *session, v *cart.View) (list []message) {
	add := func(kind, code, path, content string) {
		m := message{Type: kind, Code: code, Path: path, Content: content}
		if kind == typeError {
			m.Severity = recoverable
		}
		list = append(list, m)
	}
	if p := v.Session; p.Canceled {
		return nil
	}
	for _, l := range v.Lines {
		switch {
		case l.Gone:
			add(typeError, "item_unavailable", "$.line_items", "The product "+l.Title+" is no longer sold. Remove it.")
		case l.Left != nil:
			add(typeError, "out_of_stock", "$.line_items", "Insufficient stock of "+l.Title+".")
		case l.Large:
			add(typeError, "amount_too_large", "$.line_items", "Reduce the quantity of "+l.Title+".")
		}
	}
	if v.Email == "" {
		add(c.lack(s), "missing", "$.buyer.email", "The email address of the buyer is missing.")
	}
	switch {
	case v.Ships && v.Address == nil:
		add(typeError, "missing", "$.fulfillment.methods[0].destinations", "A fulfillment address must be selected.")
	case v.Next() == cart.StepDetails && v.Email != "":
		add(c.lack(s), "missing", "$.fulfillment.methods[0].destinations", "The address is incomplete.")
	}
	switch {
	case v.Ships && v.Address != nil && len(v.Rates) == 0:
		add(typeError, "address_undeliverable", "$.fulfillment.methods[0]", "The shop does not ship to this address.")
	case v.Ships && v.Address != nil && v.Rate == nil:
		add(typeError, "missing", "$.fulfillment.methods[0].groups[0]", "A fulfillment option must be selected.")
	}
	for _, code := range v.Session.Codes {
		if v.Discount == nil || !v.Discounted || !strings.EqualFold(code, v.Code) {
			add(typeWarning, "discount_code_invalid", "$.discounts.codes", "The code "+code+" is not applied.")
		}
	}
	if len(s.Payment.Handlers) == 0 {
		list = append(list, message{typeError, "payment_on_page", "$.payment",
			"The buyer pays on the page of the shop. Open continue_url.", needsBuyer})
	}
	return list
}

// lack returns the type of the message about a buyer who is not named: test stores do without.
func (c *call) lack(s *session) string {
	if c.shop.Test && len(s.Payment.Handlers) > 0 {
		return typeWarning
	}
	return typeError
}

// shipping fills in the address and the rates of a session with items to ship.
func (c *call) shipping(s *session, v *cart.View) {
	if !v.Ships {
		return
	}
	ids := []string{}
	for i, l := range v.Lines {
		if !l.Gone {
			ids = append(ids, s.LineItems[i].ID)
		}
	}
	m := method{ID: "shipping", Type: "shipping", Lines: ids, Chosen: v.Session.Chosen}
	for _, d := range v.Session.Destinations {
		m.Destinations = append(m.Destinations, destinationOf(d.ID, d.FirstName, d.LastName, &d.Address))
	}
	if v.Address != nil {
		g := group{ID: "package", Lines: ids, Options: []option{}}
		for _, o := range v.Rates {
			title := o.Name
			if o.CostMinor == 0 && o.PriceMinor > 0 {
				title += " (" + c.shop.Say(phrase.Free) + ")"
			}
			g.Options = append(g.Options, option{o.ID, title, []total{{"total", o.CostMinor}}})
		}
		if v.Rate != nil {
			g.Chosen = v.Rate.ID
		}
		m.Groups = []group{g}
	}
	s.Fulfillment = &fulfillment{[]method{m}}
}

// totalsOf returns the sums as the pages show them. Tax that is part of the prices is not listed.
func totalsOf(sums price.Sums, ships bool) []total {
	shipping, tax, _ := price.ShownTax(sums.ShippingMinor, sums.TaxMinor, sums.IncludedTaxMinor)
	list := []total{{"subtotal", sums.SubtotalMinor}}
	if sums.DiscountMinor > 0 {
		list = append(list, total{"discount", sums.DiscountMinor})
	}
	if ships {
		list = append(list, total{"fulfillment", shipping})
	}
	if tax > 0 {
		list = append(list, total{"tax", tax})
	}
	return append(list, total{"total", sums.TotalMinor})
}

// buyerOf returns what the program said about the buyer; nil for nothing.
func buyerOf(s *document.SessionFields) *buyer {
	b := &buyer{FirstName: s.FirstName, LastName: s.LastName, Email: s.Email, Phone: s.Phone, Consent: s.Consent}
	if b.FirstName == "" && b.LastName == "" && b.Email == "" && b.Phone == "" && b.Consent == nil {
		return nil
	}
	return b
}

// discountsOf returns the codes of a session; nil without any.
func discountsOf(v *cart.View) *discounts {
	if len(v.Session.Codes) == 0 {
		return nil
	}
	d := &discounts{Codes: v.Session.Codes, Applied: []applied{}}
	if v.Discount != nil && v.Discounted {
		d.Applied = append(d.Applied, applied{v.Code, v.Code, v.Sums.DiscountMinor})
	}
	return d
}

// ordered fills in what a session with an order shows, from the order.
func (c *call) ordered(s *session, v *cart.View) error {
	o, err := c.Core.Order(c.ctx, v.Order)
	if err != nil {
		return err
	}
	switch s.Status = completed; {
	case v.Lapsed || o.Status == state.OrderCancelled && o.PaidMinor == 0:
		s.Status = canceled
	case o.Held:
		s.Status = inProgress
	}
	s.Currency, s.Totals = o.Currency, totalsOf(sumsOf(o), o.ShippingMethod != nil)
	for _, l := range o.Lines {
		s.LineItems = append(s.LineItems, lineItem{ID: l.PublicID(), Quantity: l.Quantity, Totals: orderTotals(l),
			Item: orderItem(l)})
	}
	if v.Session.HandedOver { // what the shopper entered on the pages is not for the program
		s.Order = &orderLink{xid.Order.Format(v.Order), c.origin() + checkout.FindPath}
		return nil
	}
	id := c.Links.OrderToken(c.store, v.Order)
	s.Order = &orderLink{id, c.origin() + ordersPath + id}
	return nil
}

// sumsOf returns the sums of an order.
func sumsOf(o *storefront.ShopperOrder) price.Sums {
	s := price.Sums{SubtotalMinor: o.SubtotalMinor, DiscountMinor: o.DiscountMinor, ShippingMinor: o.ShippingMinor,
		TaxMinor: o.TaxMinor, TotalMinor: o.TotalMinor}
	if o.IncludedTaxMinor != nil {
		s.IncludedTaxMinor = *o.IncludedTaxMinor
	}
	return s
}

func orderTotals(l *db.OrderLine) []total {
	return []total{{"subtotal", l.Quantity * l.UnitPriceMinor}, {"total", l.TotalMinor}}
}

func orderItem(l *db.OrderLine) item {
	of := cart.ProductRef{}
	if l.ProductID != nil {
		of.Product = *l.ProductID
	}
	if l.VariantID != nil {
		of.Variant = *l.VariantID
	}
	return item{ID: idOf(of), Title: l.Title, Price: l.UnitPriceMinor}
}

// idOf returns the id of a variant. A product without options is its own variant.
func idOf(of cart.ProductRef) string {
	if of.Variant.IsNil() {
		return xid.Variant.Format(of.Product)
	}
	return xid.Variant.Format(of.Variant)
}

func titleOf(title, options string) string {
	if options == "" {
		return title
	}
	return title + " – " + options
}

// absolute returns the address of a path of the shop.
func (c *call) absolute(path string) string {
	if strings.HasPrefix(path, "/") {
		return c.origin() + path
	}
	return path
}

// isMissing reports whether err says that there is no such thing.
func isMissing(err error, what string) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.NotFound && f.Detail == fault.Missing(what).Detail
}

// examplePostalCode returns a postal code of the country in its form, or nil.
func examplePostalCode(code string) *string {
	for _, example := range []string{"12345", "1010", "K1A 0B1", "SW1A 1AA", "100-0001", "123456", "110 00", "00-001",
		"1000-001", "D02 X285", "01001-000"} {
		if written, ok := country.PostalCode(code, example); ok {
			return &written
		}
	}
	return nil
}
