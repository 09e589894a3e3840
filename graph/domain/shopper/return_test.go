package shopper_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/model"
)

const day = 24 * time.Hour

// terms sets the terms of returns.
func (p *shop) terms(t document.ReturnTerms) error {
	p.t.Helper()
	s := graphtest.Must[*db.Store](p.t)(p.CurrentStore(p.ctx))
	return graphtest.ErrOf(p.Mutation().StorefrontUpdate(p.Ctx, model.StorefrontUpdateInput{
		ExpectedVersion: s.Version, Returns: graphtest.Given(&t)}))
}

// withdrawing are terms that allow both ways.
func withdrawing() document.ReturnTerms {
	return document.ReturnTerms{Requests: true, Withdrawal: new(true), Days: 14}
}

// ordered returns an order of 2 units.
func (p *shop) ordered(email string, steps ...string) *model.Order {
	p.t.Helper()
	o := graphtest.Must[*model.OrderPayload](p.t)(p.Mutation().OrderCreate(p.Ctx, model.OrderCreateInput{
		Email: &email, Source: "api", Lines: []*model.OrderLineInput{graphtest.CustomLine("Bell", 2, 1000)},
		ShippingAddress: &model.AddressInput{Name: new("Ada"), Line1: "Weg 1", City: "Graz", Country: "AT"}})).Order
	for _, step := range steps {
		o = graphtest.Must[*model.OrderPayload](p.t)(graphtest.Steps[step](p.Ctx, p.Mutation(), o)).Order
	}
	return o
}

func (p *shop) returnable(o *model.Order) *sales.Returnable {
	p.t.Helper()
	row := graphtest.Must[*model.Order](p.t)(p.Query().Order(p.Ctx, o.PublicID()))
	return graphtest.Must[*sales.Returnable](p.t)(p.Returnable(p.ctx, row.Order, linesOf(row)))
}

func linesOf(o *model.Order) (list []*db.OrderLine) {
	for _, l := range o.Lines {
		list = append(list, l.OrderLine)
	}
	return list
}

func number(o *model.Order) string { return strconv.FormatInt(o.Number, 10) }

// asking is a return of units of the first line.
func asking(o *model.Order, units int64) model.ReturnInput {
	return model.ReturnInput{Lines: []*model.ReturnLineInput{
		{LineItemID: o.Lines[0].PublicID(), Quantity: units, Reason: state.ReasonNone}}}
}

// TestMayReturn: until when a shopper may return items, and why not.
func TestMayReturn(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		shipped, open := p.ordered("ada@example.com", "mark_paid", "ship"), p.ordered("ada@example.com", "mark_paid")
		cancelled := p.ordered("ada@example.com", "cancel")
		off, week := withdrawing(), withdrawing()
		off.Requests, off.Withdrawal = false, new(false)
		week.Days, week.Countries = 30, []*document.ReturnCountry{{Country: "AT", Days: 3}}
		for _, tc := range []struct {
			name  string
			terms document.ReturnTerms
			of    *model.Order
			way   sales.ReturnWay
			after time.Duration
			want  state.ReturnRefusal
		}{
			{name: "in time", terms: withdrawing(), of: shipped, way: sales.ByRequest},
			{name: "off", terms: off, of: shipped, way: sales.ByRequest, want: state.RefusedOff},
			{name: "withdrawal off", terms: off, of: shipped, way: sales.ByWithdrawal, want: state.RefusedOff},
			{name: "late", terms: withdrawing(), of: shipped, way: sales.ByRequest, after: 25 * day,
				want: state.RefusedExpired},
			{name: "shorter in the country", terms: week, of: shipped, way: sales.ByRequest, after: 14 * day,
				want: state.RefusedExpired},
			{name: "not shipped", terms: withdrawing(), of: open, way: sales.ByRequest, want: state.RefusedUnshipped},
			{name: "cancelled", terms: withdrawing(), of: cancelled, way: sales.ByWithdrawal,
				want: state.RefusedCancelled},
			// Directive 2011/83/EU, Article 9(1): 14 days, whatever the store says.
			{name: "at least 14 days", terms: week, of: shipped, way: sales.ByWithdrawal, after: 14 * day},
			// Article 9(2)(b): they begin with the delivery, so an order that is not shipped has all the time.
			{name: "before the shipment", terms: withdrawing(), of: open, way: sales.ByWithdrawal, after: 300 * day},
			// Article 11a(1): the function is available throughout the period, and Article 11a(5): not after it.
			{name: "the last day", terms: withdrawing(), of: shipped, way: sales.ByWithdrawal, after: 21 * day},
			{name: "too late", terms: withdrawing(), of: shipped, way: sales.ByWithdrawal, after: 25 * day,
				want: state.RefusedExpired},
		} {
			if err := p.terms(tc.terms); err != nil {
				t.Fatal(err)
			}
			of := p.returnable(tc.of)
			units, why, err := of.MayReturn(tc.of.Lines[0].OrderLine, tc.way, micros.Now().Add(tc.after))
			if err != nil || why != tc.want || (units == 2) != (why == "") {
				t.Errorf("%s: %d units, %q, %v, want %q", tc.name, units, why, err, tc.want)
			}
			if until, _ := of.Until(tc.way); until != nil {
				last := until.Time().In(of.Zone).Add(-time.Second).Weekday()
				if last == time.Saturday || last == time.Sunday { // Regulation 1182/71, Article 3(4)
					t.Errorf("%s: ends on a %s", tc.name, last)
				}
			}
		}
	})
}

// TestExcludedProducts: products with an excluded tag stay out (Directive 2011/83/EU, Article 16).
func TestExcludedProducts(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		in := graphtest.Mug()
		in.Tags = []string{"custom-made"}
		mug := graphtest.NewProduct(t, p.Ctx, p.Resolver, in)
		o := graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderCreate(p.Ctx, model.OrderCreateInput{
			Source: "api", Email: new("ada@example.com"),
			Lines: []*model.OrderLineInput{graphtest.ProductLine(mug, 1)}})).Order
		terms := withdrawing()
		terms.ExcludedTags = []string{"custom-made"}
		if err := p.terms(terms); err != nil {
			t.Fatal(err)
		}
		err := p.Return(p.ctx, o.ID, sales.ByWithdrawal, "Ada", asking(o, 1))
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("an excluded product was returned: %v", err)
		}
	})
}

// TestReturnTerms: which terms a store can set.
func TestReturnTerms(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		at, never := &document.ReturnCountry{Country: "AT", Days: 1}, &document.ReturnCountry{Country: "AT"}
		nowhere, many := &document.ReturnCountry{Country: "XY", Days: 1}, strings.Split(strings.Repeat("x,", 21), ",")
		for name, change := range map[string]func(*document.ReturnTerms){
			"no day":          func(t *document.ReturnTerms) { t.Days = 0 },
			"too many days":   func(t *document.ReturnTerms) { t.Days = 731 },
			"no such country": func(t *document.ReturnTerms) { t.Countries = []*document.ReturnCountry{nowhere} },
			"a country twice": func(t *document.ReturnTerms) { t.Countries = []*document.ReturnCountry{at, at} },
			"too long":        func(t *document.ReturnTerms) { t.Instructions = new(strings.Repeat("x", 1001)) },
			"too many tags":   func(t *document.ReturnTerms) { t.ExcludedTags = many },
			"no day there":    func(t *document.ReturnTerms) { t.Countries = []*document.ReturnCountry{never} },
		} {
			terms := withdrawing()
			change(&terms)
			if err := p.terms(terms); graphtest.FaultOf(err) != "validation_failed" {
				t.Errorf("%s: %v", name, err)
			}
		}
		got := p.returnable(p.ordered("ada@example.com"))
		if !got.Offers(sales.ByWithdrawal) || got.Offers(sales.ByRequest) {
			t.Error("a new store takes requests, or no withdrawal from Austria")
		}
	})
}

// TestWithdrawalByCountry: a store with a VAT id of the European Union offers the withdrawal unless it says no,
// and so does every store to shoppers in the European Economic Area.
func TestWithdrawalByCountry(t *testing.T) {
	terms := document.ReturnTerms{}
	for vatID, want := range map[string]bool{
		"": false, "ATU12345678": true, "EL123456789": true, "GB123456789": false,
	} {
		if got := sales.Withdraws(terms, &vatID, "US"); got != want {
			t.Errorf("%q: %v", vatID, got)
		}
	}
	area := "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK"
	for _, code := range append(country.Codes(), "") {
		want := code != "" && strings.Contains(area, code)
		if got := sales.Withdraws(terms, nil, code); got != want {
			t.Errorf("a shopper in %q: %v", code, got)
		}
	}
	for _, choice := range []bool{true, false} {
		chosen := document.ReturnTerms{Withdrawal: &choice}
		if sales.Withdraws(chosen, new("ATU12345678"), "NO") != choice || sales.Withdraws(chosen, nil, "US") != choice {
			t.Error("the store's choice does not count")
		}
	}
}

// TestReturnByShopper: a request and a withdrawal with what follows from them, once.
func TestReturnByShopper(t *testing.T) {
	each(t, func(t *testing.T, p, other *shop) {
		for _, of := range []*shop{p, other} {
			if err := of.terms(withdrawing()); err != nil {
				t.Fatal(err)
			}
		}
		o := p.ordered("ada@example.com", "mark_paid", "ship")
		in := asking(o, 1)
		in.Note = new("Broken <b>\u202e")
		if err := p.Return(p.ctx, o.ID, sales.ByRequest, "", in); err != nil {
			t.Fatal(err)
		}
		if err := p.Return(p.ctx, o.ID, sales.ByWithdrawal, "Ada https://evil.example", asking(o, 1)); err != nil {
			t.Fatal(err)
		}
		list := p.returnable(o).Returns
		asked, withdrawn := list[0], list[1]
		if asked.State != state.ReturnRequested || !asked.ByShopper || asked.Withdrawal ||
			*asked.Note != "Broken <b>" || asked.Name != nil {
			t.Errorf("asked: %+v", asked)
		}
		// Article 11a(2): the name, the contract and where the acknowledgement goes.
		if !withdrawn.Withdrawal || *withdrawn.Name != "Ada https://evil.example" ||
			*withdrawn.Email != "ada@example.com" || withdrawn.OrderID != o.ID {
			t.Errorf("withdrawn: %+v", withdrawn)
		}
		mails := p.mails("ada@example.com")
		receipt := mails[len(mails)-1]
		at := withdrawn.ID.Time().Time().In(p.returnable(o).Zone).Format("15:04:05 MST")
		// Article 11a(4): the content of the statement, its date and its time, on a durable medium.
		for _, want := range []string{"You have withdrawn from the contract", "Bell", "1 ×", "Name: Ada", at} {
			if !strings.Contains(receipt.Body, want) {
				t.Errorf("the receipt has no %q: %s", want, receipt.Body)
			}
		}
		if strings.Contains(receipt.Body, "https://evil.example") || len(mails) != 2 {
			t.Errorf("%d emails, the last: %s", len(mails), receipt.Body)
		}
		notices := graphtest.Must[[]*db.Notification](t)(p.Store.DB(p.ctx).Notification.Query().Load(p.ctx))
		if len(notices) < 2 || !strings.Contains(p.Audited(t), "order.return_create") {
			t.Errorf("%d notices, audit %s", len(notices), p.Audited(t))
		}
		data := string(graphtest.Must[[]byte](t)(p.Data(p.ctx, p.account(p.enter("ada@example.com")))))
		if !strings.Contains(data, `"note":"Broken `) || !strings.Contains(data, `"name":"Ada https://evil.example"`) {
			t.Errorf("the person's data lacks what they wrote: %s", data)
		}
		for name, tc := range map[string]struct {
			call func() error
			want string
		}{
			"a replay": {func() error {
				return p.Return(p.ctx, o.ID, sales.ByWithdrawal, "Ada", asking(o, 1))
			}, "invalid_transition"},
			"no name": {func() error {
				return p.Return(p.ctx, o.ID, sales.ByWithdrawal, " ", asking(o, 1))
			}, "validation_failed"},
			"nothing": {func() error {
				return p.Return(p.ctx, o.ID, sales.ByWithdrawal, "Ada", model.ReturnInput{})
			}, "validation_failed"},
			"another shop": {func() error {
				return other.Return(other.ctx, o.ID, sales.ByWithdrawal, "Ada", asking(o, 1))
			}, "not_found"},
			"an item of another order": {func() error {
				return p.Return(p.ctx, p.ordered("ada@example.com").ID, sales.ByWithdrawal, "Ada", asking(o, 1))
			}, "validation_failed"},
			"an order without an address": {func() error {
				o := graphtest.NewOrder(t, p.Ctx, p.Resolver, graphtest.CustomLine("Bell", 1, 1))
				return p.Return(p.ctx, o.ID, sales.ByWithdrawal, "Ada", asking(o, 1))
			}, "invalid_transition"},
		} {
			if err := tc.call(); graphtest.FaultOf(err) != tc.want {
				t.Errorf("%s: %v, want %s", name, err, tc.want)
			}
		}
	})
}

// TestUnshippedWithdrawal: staff refund a withdrawal at once if nothing was shipped, but no request.
func TestUnshippedWithdrawal(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		if err := p.terms(withdrawing()); err != nil {
			t.Fatal(err)
		}
		refund := func(o *model.Order) error {
			if err := p.Return(p.ctx, o.ID, sales.ByWithdrawal, "Ada", asking(o, 2)); err != nil {
				t.Fatal(err)
			}
			row := p.returnable(o).Returns[0]
			return graphtest.ErrOf(p.Mutation().OrderReturnRefund(p.Ctx, row.PublicID(), row.Version,
				model.ReturnRefundInput{AmountMinor: new(int64(2000))}))
		}
		if err := refund(p.ordered("ada@example.com", "mark_paid")); err != nil {
			t.Error(err)
		}
		if err := refund(p.ordered("ada@example.com", "mark_paid", "ship")); graphtest.FaultOf(err) !=
			"invalid_transition" {
			t.Errorf("refunded before the items are back or approved: %v", err)
		}
	})
}

// TestLastUnit: of two requests for the last units, of which the first holds its transaction open, one succeeds.
func TestLastUnit(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		if err := p.terms(withdrawing()); err != nil {
			t.Fatal(err)
		}
		o := p.ordered("ada@example.com", "mark_paid", "ship")
		second := make(chan error, 1)
		once := false
		err := p.Store.InTx(p.ctx, func(ctx context.Context) error {
			err := p.Return(ctx, o.ID, sales.ByWithdrawal, "Ada", asking(o, 2))
			if !once {
				once = true
				began := make(chan struct{})
				go func() {
					close(began)
					second <- p.Return(p.ctx, o.ID, sales.ByRequest, "", asking(o, 1))
				}()
				<-began
			}
			return err
		})
		if other := <-second; (err == nil) == (other == nil) {
			t.Errorf("first %v, second %v", err, other)
		}
		if list := p.returnable(o).Returns; len(list) != 1 {
			t.Errorf("%d returns", len(list))
		}
	})
}

// TestEmailOrder: the link of an order goes to its address alone, and the answer is always the same.
func TestEmailOrder(t *testing.T) {
	each(t, func(t *testing.T, p, other *shop) {
		o, foreign := p.ordered("ada@example.com"), other.ordered("eve@example.com")
		for _, tc := range []struct {
			name, number, email string
			mails               int
		}{
			{name: "the order", number: " #" + number(o), email: "Ada@EXAMPLE.com", mails: 1},
			{name: "another address", number: number(o), email: "bob@example.com"},
			{name: "no such order", number: "999", email: "carl@example.com"},
			{name: "of another shop", number: number(foreign), email: "eve@example.com"},
		} {
			before := len(p.mails(""))
			if err := p.EmailOrder(p.from("192.0.2.1"), tc.number, tc.email); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
			if got := len(p.mails("")) - before; got != tc.mails {
				t.Errorf("%s: %d emails", tc.name, got)
			}
		}
		if mail := p.mails("ada@example.com"); !strings.Contains(mail[0].Body, "/orders/") {
			t.Errorf("the email has no link: %s", mail[0].Body)
		}
		var limited error
		for range 20 {
			if limited = p.EmailOrder(p.from("192.0.2.2"), "999", "mallory@example.com"); limited != nil {
				break
			}
		}
		if graphtest.FaultOf(limited) != "rate_limited" {
			t.Errorf("20 emails: %v", limited)
		}
	})
}
