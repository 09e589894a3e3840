package sales

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/model"
)

// mailDetails is what an email to a shopper says about its event.
type mailDetails struct {
	// tracking is the carrier and number of a shipment, and trackingURL its address; or what the store
	// says about a return, and the address of a label.
	tracking    []string
	trackingURL string
	// parts are the lines of a shipment, refund or return.
	parts []picked
	// amount is the amount of a payment or refund.
	amount int64
	// customer is the customer of the order, nil if it was not read.
	customer *db.Customer
	// received is a return that the shopper asked for, in its receipt.
	received *db.OrderReturn
	// due is when an unpaid new order is canceled, nil for never.
	due *micros.Time
}

// hasEmails reports whether a shopper gets emails about an order: they bought at the storefront, were sent a
// payment link, or got it in exchange.
func hasEmails(o *model.Order) bool {
	return o.Email != nil && (o.CartID != nil || o.PaymentMethod != nil || o.ExchangeOf != nil)
}

// sendEmails writes the emails to a shopper about their order, in the transaction of the change.
// Imported orders have none, for example: they were announced elsewhere.
func (m Mutation) sendEmails(ctx context.Context, o *model.Order, events []event.Type, of mailDetails) error {
	if !hasEmails(o) || !m.Notifier.Sends() {
		return nil
	}
	for _, t := range events {
		email, ok := emailOf[t]
		if !ok || t == event.OrderPaid && slices.Contains(events, event.OrderCreated) {
			continue // a free order is paid when it is placed
		}
		if err := m.sendEmail(ctx, o, email, of); err != nil {
			return fmt.Errorf("email a shopper: %w", err)
		}
	}
	return nil
}

// sendEmail writes one email. A test store writes to no shopper.
func (m Mutation) sendEmail(ctx context.Context, o *model.Order, e state.OrderEmail, of mailDetails) error {
	s, err := m.CurrentStore(ctx)
	if err != nil || s.Test { // the address of a test order may be invented, or belong to a stranger
		return err
	}
	about, err := m.emailOrder(ctx, s, o, of)
	if err != nil {
		return err
	}
	if of.due != nil {
		if about.PayBy, err = LastDay(*of.due, s); err != nil {
			return err
		}
	}
	if of.received != nil {
		if about.Tracking, err = receiptLines(about.texts(), s, of.received); err != nil {
			return err
		}
	}
	paid, err := m.paidBefore(ctx, o, of.customer)
	if err != nil {
		return err
	}
	if !paid {
		about.Stop = m.APIHost + link.StopRoot + m.Links.StopToken(o.StoreID, notify.Address(*o.Email))
	}
	texts, err := m.emailTexts(ctx, e, about.texts().Language)
	if err != nil {
		return err
	}
	words, err := m.compose(ctx, s, e, about, texts)
	if err != nil {
		return err
	}
	return m.Notifier.Send(ctx, m.Client(ctx), notify.Email{To: *o.Email, Of: o.StoreID, From: words.From,
		ReplyTo: words.ReplyTo, Order: o.ID, About: e, Network: networkOf(ctx, e), Stop: about.Stop,
		Subject: words.Subject, Body: words.Text, HTML: words.HTML})
}

// emailOrder returns what an email says about an order.
func (m Mutation) emailOrder(ctx context.Context, s *db.Store, o *model.Order, of mailDetails) (emailOrder, error) {
	home := m.ShopOrigin(s.Handle, s.Domain)
	about := emailOrder{Order: o.Order, Shop: s.Name, Home: home, Tracking: of.tracking, TrackingURL: of.trackingURL,
		AmountMinor: of.amount, URL: home + link.OrderRoot + m.Links.OrderToken(o.StoreID, o.ID), Lines: lineRows(o)}
	about.Parts, about.Coming = partsOf(of.parts, o)
	files, err := Downloads(ctx, m.Client(ctx), o.Order, lineRows(o))
	if err != nil {
		return about, err
	}
	about.Files = slices.ContainsFunc(files, func(d Download) bool { return d.Left() > 0 })
	err = m.describe(ctx, s, &about)
	return about, err
}

// compose composes an email. That of a new store has no links but those of the service.
func (m Mutation) compose(
	ctx context.Context, s *db.Store, e state.OrderEmail, about emailOrder, texts emailTexts,
) (orderEmail, error) {
	proven, err := notify.Proven(ctx, m.Client(ctx), s, m.Limits)
	if err != nil {
		return orderEmail{}, err
	}
	if !proven {
		about = unlinked(about)
		about.Plain = texts.Own
	}
	return composeEmail(e, about, texts)
}

// partsOf returns the lines of an event, and the lines of the order that are still to be shipped.
func partsOf(of []picked, o *model.Order) (parts, coming []emailPart) {
	for _, p := range of {
		parts = append(parts, emailPart{Line: p.line, Pieces: p.quantity})
	}
	for _, l := range o.Lines {
		if n := left(l.OrderLine); n > 0 {
			coming = append(coming, emailPart{Line: l.OrderLine, Pieces: n})
		}
	}
	return parts, coming
}

// paidBefore reports whether the shopper has ever paid the store. Anyone else is a stranger to it
// and may not even have placed the order.
func (m Mutation) paidBefore(ctx context.Context, o *model.Order, c *db.Customer) (bool, error) {
	if o.PaidMinor > 0 || o.CustomerID == nil {
		return o.PaidMinor > 0, nil
	}
	if c == nil {
		rows, err := m.Client(ctx).Customer.Query().Where(customer.ID(*o.CustomerID)).Load(ctx)
		if err != nil || len(rows) == 0 {
			return false, err
		}
		c = rows[0]
	}
	return c.TotalSpentMinor > 0 && c.Email != nil && *c.Email == *o.Email, nil
}

// unlinked breaks the web addresses in every text that the store's staff wrote.
func unlinked(o emailOrder) emailOrder {
	o.Shop, o.Instructions = notify.Unlink(o.Shop), notify.Unlink(o.Instructions)
	o.Tracking = slices.Clone(o.Tracking)
	if o.TrackingURL != "" && !strings.HasPrefix(o.TrackingURL, o.Home+link.OrderRoot) { // an uploaded label stays
		o.Tracking, o.TrackingURL = append(o.Tracking, o.TrackingURL), ""
	}
	for i, s := range o.Tracking {
		o.Tracking[i] = notify.Unlink(s)
	}
	o.Method, o.Logo = notify.Unlink(o.Method), ""
	if o.ShippingMethod != nil {
		shown := *o.Order
		shown.ShippingMethod = new(notify.Unlink(*o.ShippingMethod))
		o.Order = &shown
	}
	o.Lines = slices.Clone(o.Lines)
	for i, l := range o.Lines {
		o.Lines[i] = unlinkedLine(l)
	}
	for _, parts := range []*[]emailPart{&o.Parts, &o.Coming} {
		*parts = slices.Clone(*parts)
		for i, p := range *parts {
			(*parts)[i].Line = unlinkedLine(p.Line)
		}
	}
	return o
}

// unlinkedLine returns a copy of a line without web addresses in its texts.
func unlinkedLine(l *db.OrderLine) *db.OrderLine {
	c := *l
	c.Title = notify.Unlink(l.Title)
	if options, err := l.Options.List(); err == nil && options != nil {
		for i, s := range options {
			options[i] = notify.Unlink(s)
		}
		c.Options = document.NewTags(options)
	}
	return &c
}

// networkOf returns the network of the shopper who places an order, "" where it is not counted.
func networkOf(ctx context.Context, e state.OrderEmail) string {
	network, counted := ratelimit.Network(viewer.OriginOf(ctx).Client)
	if e != state.EmailPlaced || !counted {
		return ""
	}
	return network.String()
}

// accentSetting is the color setting of themes that emails follow.
const accentSetting = "accent"

// accent returns the accent color of a theme: the merchant's, or else the theme's own; "" for none.
func (m Mutation) accent(ctx context.Context, t *db.Theme) (string, error) {
	set, err := t.Settings.Values()
	if err != nil {
		return "", err
	}
	if c := set[accentSetting]; colorForm.MatchString(c) {
		return c, nil
	}
	if c, ok := m.accents.Get(t.Checksum); ok || m.Themes == nil {
		return c, nil
	}
	p, err := m.Themes.Package(ctx, t.Checksum)
	if errors.Is(err, install.ErrNoPackage) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	color := ""
	for _, s := range p.Manifest.Settings {
		if s.Name == accentSetting && s.Kind == state.SettingColor {
			color = s.Default
		}
	}
	m.accents.Put(t.Checksum, color, accentBytes)
	return color, nil
}

// describe adds what the settings of the store say: how to pay, the address for replies and the
// color.
func (m Mutation) describe(ctx context.Context, s *db.Store, o *emailOrder) error {
	core.Opt(s.ContactEmail, func(a string) { o.Contact = a })
	core.Opt(m.ShownStore(s).Logo, func(a string) { o.Logo = a })
	if s.ActiveThemeID != nil {
		rows, err := m.Client(ctx).Theme.Query().Where(theme.ID(*s.ActiveThemeID)).Load(ctx)
		if err != nil {
			return fmt.Errorf("read the theme: %w", err)
		}
		for _, t := range rows {
			if o.Accent, err = m.accent(ctx, t); err != nil {
				return err
			}
		}
	}
	if o.PaymentMethod == nil {
		return nil
	}
	o.Method = MethodName(o.texts(), document.PaymentMethod{Kind: *o.PaymentMethod})
	methods, err := m.selling.CartMethods(ctx)
	for _, method := range methods {
		if method.Kind == *o.PaymentMethod {
			o.Method, o.Instructions = MethodName(o.texts(), method), method.Instructions
		}
	}
	return err
}

// MethodName returns the merchant's name of a payment method, or its usual name in a language.
func MethodName(texts *phrase.Texts, m document.PaymentMethod) string {
	switch {
	case m.Name != "":
		return m.Name
	case m.Kind == state.PaymentTransfer:
		return texts.Say(phrase.BankTransfer)
	case m.Kind == state.PaymentStripe:
		return texts.Say(phrase.OnlinePayment)
	case m.Kind == state.PaymentTest:
		return texts.Say(phrase.TestPayment)
	}
	return texts.Say(phrase.CashOnDelivery)
}

// tracked returns the given carrier and number of a shipment.
func tracked(in model.FulfillInput) (lines []string) {
	var words []string
	for _, s := range []*string{in.Carrier, in.TrackingNumber} {
		if s != nil {
			words = append(words, *s)
		}
	}
	if len(words) > 0 {
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// emailEvents returns the events of a change that may cause an email. Refunding the rest of an
// order makes it fulfilled too, but nothing was shipped then.
func (e *orderEdit) emailEvents() (types []event.Type) {
	for _, entry := range e.Events {
		sent := entry.Type == event.OrderFulfilled || entry.Type == event.OrderPartiallyFulfilled
		if !sent || e.shipment != nil {
			types = append(types, entry.Type)
		}
	}
	return types
}

// Reminder is an email about a cart that was not ordered.
type Reminder struct {
	To   string
	Cart xid.ID
	// Customer is the customer with the address, nil if there is none.
	Customer xid.ID
	// Lines are the items of the cart.
	Lines []*db.OrderLine
}

// SendReminder writes a reminder, in the transaction of ctx.
func (m Mutation) SendReminder(ctx context.Context, r Reminder) error {
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return err
	}
	home := m.ShopOrigin(s.Handle, s.Domain)
	about := emailOrder{Order: &db.Order{StoreID: s.ID, Currency: s.Currency, Language: &s.Language}, Shop: s.Name,
		Home: home, URL: home + link.CartRoot + m.Links.CartToken(s.ID, r.Cart), Lines: r.Lines,
		Stop: m.APIHost + link.MarketingStopRoot + m.Links.MarketingStopToken(s.ID, r.Customer, notify.Address(r.To))}
	if err := m.describe(ctx, s, &about); err != nil {
		return err
	}
	texts, err := m.emailTexts(ctx, state.EmailReminder, s.Language)
	if err != nil {
		return err
	}
	words, err := m.compose(ctx, s, state.EmailReminder, about, texts)
	if err != nil {
		return err
	}
	return m.Notifier.Send(ctx, m.Client(ctx), notify.Email{To: r.To, Of: s.ID, From: words.From,
		ReplyTo: words.ReplyTo, Stop: about.Stop, Subject: words.Subject, Body: words.Text, HTML: words.HTML})
}

// StopMarketing ends all marketing emails of the viewer's store to an address, as the holder of a link of
// [link.Signer.MarketingStopToken] asks. It may be repeated.
func (r *Resolver) StopMarketing(ctx context.Context, of xid.ID, address digest.Sum) error {
	if err := notify.StopMarketing(ctx, r.Store, address); err != nil || of.IsNil() {
		return err
	}
	return r.retryOnConflict(func() error {
		rows, err := r.Client(ctx).Customer.Query().Where(customer.ID(of)).Load(ctx)
		if err != nil || len(rows) == 0 {
			return core.Explain("customer", err)
		}
		c := rows[0]
		if c.EmailMarketing != state.EmailSubscribed || c.Email == nil || notify.Address(*c.Email) != address {
			return nil // the customer has another address now
		}
		_, err = r.Mutation().CustomerUpdate(ctx, c.PublicID(), c.Version,
			model.CustomerUpdateInput{EmailMarketing: model.Some(state.EmailUnsubscribed)})
		return fault.Wrap("unsubscribe a customer", err)
	})
}

// remindersShown is the period of [Query.CartReminders]. Carts are kept that long.
const remindersShown = 30 * 24 * time.Hour

// CartReminders counts the reminders of carts in the last 30 days.
func (q Query) CartReminders(ctx context.Context) (*model.CartReminders, error) {
	sent := q.Client(ctx).Cart.Query().Where(cart.RemindedAtGT(micros.Now().Add(-remindersShown)))
	ordered := sent.Clone().Where(cart.OrderIDNotNil())
	var counts model.CartReminders
	var err error
	if counts.Sent, err = sent.Count(ctx); err == nil {
		counts.Recovered, err = ordered.Count(ctx)
	}
	return &counts, core.Explain("cart", err)
}
