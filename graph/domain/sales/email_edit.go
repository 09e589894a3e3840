package sales

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/fulfillment"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/ordertext"
	"github.com/storefront-go/storefront/ent/db/payment"
	"github.com/storefront-go/storefront/ent/db/paymenthold"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/markdown"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderEmailTexts returns the texts of all emails to shoppers in a language.
func (q Query) OrderEmailTexts(ctx context.Context, language state.Language) ([]*model.OrderEmailText, error) {
	rows, err := q.Client(ctx).OrderText.Query().Where(ordertext.LanguageEQ(language)).Load(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	own := map[state.OrderEmail]*db.OrderText{}
	for _, row := range rows {
		own[row.Email] = row
	}
	return core.Map(state.OrderEmails(), func(e state.OrderEmail) *model.OrderEmailText {
		return shownText(e, language, own[e])
	}), nil
}

// shownText returns the texts of an email; row is nil for those of the service.
func shownText(e state.OrderEmail, l state.Language, row *db.OrderText) *model.OrderEmailText {
	usual := usualOf(e, l)
	now, version := usual, int64(0)
	if row != nil {
		now, version = ownTexts(row), row.Version
	}
	return &model.OrderEmailText{Email: e, Language: l, Subject: now.Subject, Intro: now.Intro, Closing: now.Closing,
		DefaultSubject: usual.Subject, DefaultIntro: usual.Intro, Variables: variablesOf(e), Version: version}
}

// checkTexts returns the texts of an input if they can be sent.
func checkTexts(in model.OrderEmailTextInput) (emailTexts, error) {
	c := &core.Check{}
	c.Name("subject", in.Subject, limit.Line)
	checkVariables(c, "subject", in.Subject, in.Email)
	for _, part := range []struct{ pointer, text string }{{"intro", in.Intro}, {"closing", in.Closing}} {
		if part.text != "" {
			c.Long(part.pointer, part.text, limit.EmailText)
		}
		checkVariables(c, part.pointer, part.text, in.Email)
		if _, err := markdown.HTML(part.text, nil); err != nil {
			c.Add(part.pointer, fault.TooLong, "This cannot be shown: "+err.Error()+".")
		}
	}
	return emailTexts{Subject: in.Subject, Intro: in.Intro, Closing: in.Closing, Own: true}, c.Err()
}

// OrderEmailTextSet replaces the texts of an email in one language.
func (m Mutation) OrderEmailTextSet(
	ctx context.Context, expectedVersion int64, in model.OrderEmailTextInput,
) (*model.OrderEmailTextPayload, error) {
	texts, err := checkTexts(in)
	if err != nil {
		return nil, err
	}
	return m.changeText(ctx, "order.email_text_set", in.Email, in.Language, func(ctx context.Context) (bool, error) {
		if expectedVersion == 0 {
			err := m.Client(ctx).OrderText.Create().SetEmail(in.Email).SetLanguage(in.Language).
				SetSubject(texts.Subject).SetIntro(texts.Intro).SetClosing(texts.Closing).Exec(ctx)
			return !ent.IsDuplicate(err), err
		}
		n, err := m.Client(ctx).OrderText.Update().Where(ordertext.EmailEQ(in.Email),
			ordertext.LanguageEQ(in.Language), ordertext.Version(expectedVersion)).AddVersion(1).
			SetSubject(texts.Subject).SetIntro(texts.Intro).SetClosing(texts.Closing).Save(ctx)
		return n > 0 || err != nil, err
	})
}

// OrderEmailTextReset returns to the texts of the service.
func (m Mutation) OrderEmailTextReset(
	ctx context.Context, expectedVersion int64, email state.OrderEmail, language state.Language,
) (*model.OrderEmailTextPayload, error) {
	return m.changeText(ctx, "order.email_text_reset", email, language, func(ctx context.Context) (bool, error) {
		n, err := m.Client(ctx).OrderText.Delete().Where(ordertext.EmailEQ(email), ordertext.LanguageEQ(language),
			ordertext.Version(expectedVersion)).Exec(ctx)
		return n > 0 || expectedVersion == 0 || err != nil, err
	})
}

// changeText runs a change of an email's texts, which returns whether they had the expected
// version.
func (m Mutation) changeText(ctx context.Context, action string, e state.OrderEmail, l state.Language,
	write func(context.Context) (bool, error),
) (*model.OrderEmailTextPayload, error) {
	return core.Commit(ctx, m.Core, xid.Store, func(ctx context.Context) (
		*model.OrderEmailTextPayload, *change.Record, error,
	) {
		mine, err := write(ctx)
		if err != nil && mine {
			return nil, nil, err
		}
		if !mine {
			return nil, nil, fault.State(fault.VersionMismatch, "Someone else changed these texts in the meantime.")
		}
		rows, err := m.Client(ctx).OrderText.Query().Where(ordertext.EmailEQ(e), ordertext.LanguageEQ(l)).Load(ctx)
		if err != nil {
			return nil, nil, err
		}
		var row *db.OrderText
		if len(rows) > 0 {
			row = rows[0]
		}
		return &model.OrderEmailTextPayload{Text: shownText(e, l, row)}, &change.Record{Action: action,
			Kind: xid.Store, ID: viewer.From(ctx).Store, Detail: string(e) + " " + string(l)}, nil
	})
}

// testEmails bounds the test emails that a person sends.
var testEmails = ratelimit.Rate{Burst: 10, Every: 6 * time.Minute}

// OrderEmailPreview composes an email with the given texts and the newest order, and sends it to
// the caller if they want it.
func (m Mutation) OrderEmailPreview(
	ctx context.Context, in model.OrderEmailTextInput, send bool,
) (*model.OrderEmailPreviewPayload, error) {
	texts, err := checkTexts(in)
	if err != nil {
		return nil, err
	}
	if send {
		if err := m.countEmail(ctx, "test emails", viewer.From(ctx).Actor.String(), testEmails); err != nil {
			return nil, core.Explain("store", err)
		}
	}
	return core.Commit(ctx, m.Core, xid.Store, func(ctx context.Context) (
		*model.OrderEmailPreviewPayload, *change.Record, error,
	) {
		words, err := m.sampleEmail(ctx, in.Email, in.Language, texts)
		if err != nil {
			return nil, nil, err
		}
		done := &model.OrderEmailPreviewPayload{Preview: &model.OrderEmailPreview{Subject: words.Subject,
			Text: words.Text, HTML: words.HTML}}
		if !send {
			return done, nil, nil
		}
		return done, &change.Record{Action: "order.email_preview", Kind: xid.Store, ID: viewer.From(ctx).Store,
			Detail: string(in.Email)}, m.sendTest(ctx, words)
	})
}

// countEmail counts an email that staff ask for.
func (m Mutation) countEmail(ctx context.Context, what, of string, rate ratelimit.Rate) error {
	if !m.Notifier.Sends() {
		return fault.State(fault.InvalidTransition, "This service sends no email.")
	}
	wait, err := ratelimit.Take(ctx, m.Store, ratelimit.Key(what, of), rate)
	if err == nil && wait > 0 {
		err = fault.State(fault.LimitReached, "Enough of these emails were sent within the hour. Try again later.")
	}
	return err
}

// sendTest sends an email to the caller's own address, if it is verified.
func (m Mutation) sendTest(ctx context.Context, words orderEmail) error {
	v := viewer.From(ctx)
	if !v.IsPerson() {
		return fault.New(fault.Forbidden, "Only a person can send a test email.")
	}
	there := m.Store.Aside(ctx)
	people, err := m.Client(there).User.Query().Where(user.ID(v.Actor)).Load(there)
	if err != nil {
		return err
	}
	if len(people) == 0 || people[0].VerifiedAt == nil {
		return fault.State(fault.InvalidTransition, "Verify your email address on the page Security first.")
	}
	return m.Notifier.Send(ctx, m.Client(ctx), notify.Email{To: people[0].Email, Of: v.Store, From: words.From,
		ReplyTo: words.ReplyTo, Subject: words.Subject, Body: words.Text, HTML: words.HTML})
}

// sampleEmail composes an email about the newest order of the store, or about a sample.
func (m Mutation) sampleEmail(
	ctx context.Context, e state.OrderEmail, l state.Language, texts emailTexts,
) (orderEmail, error) {
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return orderEmail{}, err
	}
	query := m.Client(ctx).Order.Query()
	query.Modify(func(s *sql.Selector) { s.OrderBy(sql.Desc(s.C(order.FieldID))).Limit(1) })
	rows, err := query.Load(ctx)
	if err != nil {
		return orderEmail{}, err
	}
	lines := []*model.LineItem{{OrderLine: &db.OrderLine{Title: "Tea towel", Quantity: 2, UnitPriceMinor: 1450,
		Options: document.NewTags([]string{"Blue"})}}}
	shown := &model.Order{Order: &db.Order{ID: xid.New(), StoreID: s.ID, Number: 1001, Currency: s.Currency,
		SubtotalMinor: 2900, TotalMinor: 2900, PaymentMethod: new(state.PaymentTransfer),
		ShippingAddress: document.NewAddress(&document.AddressFields{Name: new("Ada Lovelace"),
			Line1: "1 Main Street", City: "London", Country: "GB"})}, Lines: lines}
	if len(rows) > 0 {
		if shown, err = m.orderWithLines(ctx, rows[0].ID); err != nil {
			return orderEmail{}, err
		}
	}
	about := *shown.Order
	about.Language = &l
	of := mailDetails{amount: about.TotalMinor}
	for _, line := range shown.Lines {
		of.parts = append(of.parts, picked{line.OrderLine, line.Quantity})
	}
	o, err := m.emailOrder(ctx, s, &model.Order{Order: &about, Lines: shown.Lines}, of)
	if err != nil {
		return orderEmail{}, err
	}
	if e == state.EmailReminder {
		o.URL = o.Home + "/cart"
	}
	return m.compose(ctx, s, e, o, texts)
}

// resentEmails bounds the emails about one order that are sent again.
var resentEmails = ratelimit.Rate{Burst: 3, Every: 20 * time.Minute}

// OrderEmailResend sends an email about an order again.
func (m Mutation) OrderEmailResend(
	ctx context.Context, id string, email state.OrderEmail,
) (*model.OrderPayload, error) {
	uid, err := core.ParseID(xid.Order, id)
	if err != nil {
		return nil, err
	}
	if _, err := m.orderWithLines(ctx, uid); err != nil { // before an order of another store counts
		return nil, core.Explain("order", err)
	}
	if err := m.countEmail(ctx, "resent emails", uid.String(), resentEmails); err != nil {
		return nil, core.Explain("order", err)
	}
	return core.Commit(ctx, m.Core, xid.Order, func(ctx context.Context) (*model.OrderPayload, *change.Record, error) {
		o, err := m.orderWithLines(ctx, uid)
		if err != nil {
			return nil, nil, err
		}
		s, err := m.CurrentStore(ctx)
		if err != nil {
			return nil, nil, err
		}
		if !hasEmails(o) || s.Test {
			return nil, nil, fault.State(fault.InvalidTransition, "Shoppers get no emails about this order.")
		}
		of, happened, err := m.detailsOf(ctx, o, &email)
		if err == nil && !happened {
			err = fault.State(fault.InvalidTransition, "There is nothing to send: this did not happen to the order.")
		}
		if err == nil {
			err = m.sendEmail(ctx, o, email, of)
		}
		return &model.OrderPayload{Order: o}, &change.Record{Action: "order.email_resend", Kind: xid.Order, ID: o.ID,
			Detail: string(email)}, err
	})
}

// detailsOf returns what an email said when it was sent last, and whether its event happened. The
// email about the last shipment says whether more is to come.
func (m Mutation) detailsOf(ctx context.Context, o *model.Order, e *state.OrderEmail) (
	of mailDetails, happened bool, err error,
) {
	switch *e {
	case state.EmailPlaced:
		holds, err := m.Client(ctx).PaymentHold.Query().Where(paymenthold.ID(o.ID)).Load(ctx)
		if err == nil && len(holds) > 0 {
			of.due = DueAt(o.Order, holds[0])
		}
		return of, true, err
	case state.EmailCancelled:
		return of, o.Status == state.OrderCancelled, nil
	case state.EmailPaid, state.EmailRefunded:
		kind := state.LedgerPayment
		if *e == state.EmailRefunded {
			kind = state.LedgerRefund
		}
		query := m.Client(ctx).Payment.Query().Where(payment.OrderID(o.ID), payment.KindEQ(kind))
		query.Modify(ent.ForceIndex(paymentIndex), func(s *sql.Selector) {
			s.OrderBy(sql.Desc(s.C(payment.FieldID))).Limit(1)
		})
		rows, err := query.Load(ctx)
		if err != nil || len(rows) == 0 {
			return of, false, err
		}
		of.amount = rows[0].AmountMinor
		of.parts, err = partsIn(o, rows[0].Lines)
		return of, true, err
	case state.EmailReturnRequested, state.EmailWithdrawn, state.EmailReturnApproved, state.EmailReturnDeclined:
		return m.detailsOfReturn(ctx, o, *e)
	case state.EmailReminder: // it is about a cart
		return of, false, nil
	}
	query := m.Client(ctx).Fulfillment.Query().Where(fulfillment.OrderID(o.ID))
	query.Modify(ent.ForceIndex(fulfillmentIndex), func(s *sql.Selector) {
		s.OrderBy(sql.Desc(s.C(fulfillment.FieldID))).Limit(1)
	})
	rows, err := query.Load(ctx)
	if err != nil || len(rows) == 0 {
		return of, false, err
	}
	if *e = state.EmailShipped; o.FulfillmentStatus == state.FulfillmentPartiallyFulfilled {
		*e = state.EmailPartlyShipped
	}
	f := rows[0]
	of.tracking = tracked(model.FulfillInput{Carrier: f.Carrier, TrackingNumber: f.TrackingNumber})
	core.Opt(f.TrackingURL, func(s string) { of.trackingURL = s })
	of.parts, err = partsIn(o, f.Lines)
	return of, true, err
}

// partsIn returns the lines of an order that a shipment or refund names.
func partsIn(o *model.Order, lines document.Lines) (parts []picked, err error) {
	list, err := lines.List()
	for _, l := range list {
		if line := lineOf(o, l.LineID); line != nil {
			parts = append(parts, picked{line, l.Quantity})
		}
	}
	return parts, err
}
