package shopper_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// shop is a store with its shoppers.
type shop struct {
	*graphtest.Shop
	*shopper.Shoppers
	t   *testing.T
	ctx context.Context // acts for a shopper
}

// each runs f on every engine with a shop that sends emails, and another one.
func each(t *testing.T, f func(t *testing.T, p, other *shop)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		r := graphtest.NewCore(t, s)
		r.Notifier = graphtest.Must[*notify.Notifier](t)(notify.New("https://api.example"))
		r.Use(r.Engines)
		open := func() *shop {
			p := graphtest.NewShop(t, r)
			return &shop{p, r.Shoppers(), t, viewer.Shopper(t.Context(), p.Model.ID)}
		}
		f(t, open(), open())
	})
}

// from returns a context of a shopper in a network.
func (p *shop) from(address string) context.Context {
	return viewer.WithOrigin(p.ctx, viewer.Origin{Client: netip.MustParseAddr(address), Agent: "Browser"})
}

var codeForm = regexp.MustCompile(`\b[0-9]{8}\b`)

// mails returns the queued emails to an address.
func (p *shop) mails(to string) (list []*db.Mail) {
	p.t.Helper()
	rows, err := p.Store.DB(p.ctx).Mail.Query().Order(mail.ByID()).Load(p.ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, row := range rows {
		if to == "" && row.SenderName != nil || row.Recipient == to {
			list = append(list, row)
		}
	}
	return list
}

// ask requests a code and returns it with its token.
func (p *shop) ask(email string) (token, code string) {
	p.t.Helper()
	token = graphtest.Must[string](p.t)(p.Ask(p.ctx, state.ShopperSignIn, email))
	list := p.mails(email)
	return token, codeForm.FindString(list[len(list)-1].Body)
}

// enter signs in and returns the token of the session.
func (p *shop) enter(email string) string {
	p.t.Helper()
	token, code := p.ask(email)
	return graphtest.Must[string](p.t)(p.SignIn(p.ctx, token, code, ""))
}

// account returns the account of a session, nil if it has ended.
func (p *shop) account(session string) *shopper.Account {
	p.t.Helper()
	return graphtest.Must[*shopper.Account](p.t)(p.Account(p.ctx, session))
}

// order creates an order with an email address, and of a customer if one is given.
func (p *shop) order(email string, of ...string) *model.Order {
	p.t.Helper()
	var customer *string
	if len(of) > 0 {
		customer = &of[0]
	}
	return graphtest.Must[*model.OrderPayload](p.t)(p.Mutation().OrderCreate(p.Ctx, model.OrderCreateInput{
		Email: &email, CustomerID: customer, Source: "api",
		Lines: []*model.OrderLineInput{{Title: new("Bell"), UnitPriceMinor: new(int64(1490)), Quantity: 1}}})).Order
}

func (p *shop) numbers(a *shopper.Account) (list []int64) {
	p.t.Helper()
	orders, _, err := p.Orders(p.ctx, a, "")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, o := range orders {
		list = append(list, o.Number)
	}
	return list
}

// A code signs in once, at its own store, in the browser that asked, and for its own purpose.
func TestSignIn(t *testing.T) {
	each(t, func(t *testing.T, p, other *shop) {
		token, code := p.ask("ada@example.com")
		stranger, _ := p.ask("eve@example.com")
		wrong := strings.Map(func(r rune) rune { return '0' + ('9'-r+1)%10 }, code)
		for name, tc := range map[string]struct {
			at          *shop
			token, code string
			want        error
		}{
			"wrong code":       {p, token, wrong, shopper.ErrWrong},
			"another browser":  {p, stranger, code, shopper.ErrWrong},
			"no browser":       {p, "", code, shopper.ErrOver},
			"another store":    {other, token, code, shopper.ErrOver},
			"an unknown token": {p, strings.Repeat("a", 52), code, shopper.ErrOver},
		} {
			if _, err := tc.at.SignIn(tc.at.ctx, tc.token, tc.code, ""); !errors.Is(err, tc.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		first := graphtest.Must[string](t)(p.SignIn(p.ctx, token, code[:4]+" "+code[4:], ""))
		if _, err := p.SignIn(p.ctx, token, code, ""); !errors.Is(err, shopper.ErrOver) {
			t.Errorf("again: %v", err)
		}
		a := p.account(first)
		if a == nil || a.Email != "ada@example.com" || a.Customer.Status != state.CustomerActive {
			t.Fatalf("account %+v", a)
		}
		if b := graphtest.Must[*shopper.Account](t)(other.Account(other.ctx, first)); b != nil {
			t.Errorf("a session is valid at another store: %+v", b)
		}
		// The next sign-in ends the session that the browser had: nobody can plant one.
		token, code = p.ask("ada@example.com")
		second := graphtest.Must[string](t)(p.SignIn(p.ctx, token, code, first))
		if second == first || p.account(first) != nil || p.account(second) == nil {
			t.Error("the former session goes on")
		}
		third := p.enter("ada@example.com")
		if list := graphtest.Must[[]*db.ShopperSession](t)(p.Sessions(p.ctx, a)); len(list) != 2 {
			t.Errorf("%d sessions", len(list))
		}
		if err := p.End(p.ctx, p.account(third), ""); err != nil || p.account(second) != nil ||
			p.account(third) != nil {
			t.Errorf("sign out everywhere: %v", err)
		}
	})
}

// Codes cannot be guessed: each challenge accepts few tries, also concurrent ones, and expires.
func TestGuesses(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		token, code := p.ask("ada@example.com")
		var counted atomic.Int32
		var group sync.WaitGroup
		for range 12 {
			group.Go(func() {
				if _, err := p.SignIn(p.ctx, token, "0", ""); errors.Is(err, shopper.ErrWrong) {
					counted.Add(1)
				} else if !errors.Is(err, shopper.ErrOver) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if _, err := p.SignIn(p.ctx, token, code, ""); counted.Load() != 5 || !errors.Is(err, shopper.ErrOver) {
			t.Errorf("%d tries, then %v", counted.Load(), err)
		}
		token, code = p.ask("ada@example.com")
		expire(t, p, "shopper_challenges")
		if _, err := p.SignIn(p.ctx, token, code, ""); !errors.Is(err, shopper.ErrOver) {
			t.Errorf("an expired code: %v", err)
		}
		session := p.enter("ada@example.com")
		expire(t, p, "shopper_sessions")
		if p.account(session) != nil {
			t.Error("an expired session is valid")
		}
		n, err := p.Purge(t.Context())
		if err != nil || n != 3 { // two challenges and a session
			t.Errorf("purged %d, %v", n, err)
		}
	})
}

// expire ends the rows of a table.
func expire(t *testing.T, p *shop, table string) {
	t.Helper()
	err := p.Store.Admin(t.Context(), func(c *sql.Conn) error {
		_, err := c.ExecContext(t.Context(), "UPDATE "+table+" SET expires_at = ? WHERE store_id = ?",
			int64(micros.Now().Add(-time.Second)), p.Model.ID[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// However many sign-ins are requested, an address, a network and a store cause few emails.
func TestCodesAreBounded(t *testing.T) {
	each(t, func(t *testing.T, p, other *shop) {
		refused := func(ctx context.Context, at *shop, email string) bool {
			t.Helper()
			_, err := at.Ask(ctx, state.ShopperSignIn, email)
			if err != nil && graphtest.FaultOf(err) != "rate_limited" {
				t.Fatal(err)
			}
			return err != nil
		}
		for i := range 8 {
			got := refused(p.from(fmt.Sprintf("192.0.%d.1", i)), p, fmt.Sprintf("Ada+%d@example.com", i))
			if got != (i >= limit.StoreCodes) {
				t.Errorf("code %d to one mailbox: refused %v", i, got)
			}
		}
		if refused(other.from("198.51.100.1"), other, "ada@example.com") {
			t.Error("another store cannot write to the address")
		}
		sent := 0
		for i := range 40 {
			if !refused(p.from("203.0.113.1"), p, fmt.Sprintf("a%d@example.com", i)) {
				sent++
			}
		}
		if sent != limit.NetworkCodes {
			t.Errorf("%d codes for one network", sent)
		}
		for i := range 60 {
			refused(p.from(fmt.Sprintf("192.0.%d.9", i+100)), p, fmt.Sprintf("b%d@example.com", i))
		}
		if n := len(p.mails("")); n != 50 { // the limit of a new store
			t.Errorf("%d emails", n)
		}
	})
}

// Requests about known and unknown addresses have the same effects, and bad ones have none.
func TestAddressesLookAlike(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		p.enter("known@example.com")
		for _, email := range []string{"known@example.com", "unknown@example.com"} {
			before := len(p.mails(email))
			if token, err := p.Ask(p.ctx, state.ShopperSignIn, email); err != nil || len(token) != 52 ||
				len(p.mails(email)) != before+1 {
				t.Errorf("%s: %q, %v", email, token, err)
			}
		}
		for _, email := range []string{"", "x", "a@b.example\r\nBcc: eve@example.com", "a@b.example,c@d.example"} {
			if _, err := p.Ask(p.ctx, state.ShopperSignIn, email); graphtest.FaultOf(err) != "validation_failed" {
				t.Errorf("%q: %v", email, err)
			}
		}
		for _, c := range graphtest.Must[*model.CustomerConnection](t)(p.Query().Customers(p.Ctx, nil, nil, nil, nil,
			nil)).Nodes {
			if *c.Email != "known@example.com" {
				t.Errorf("%s exists before it was proved", *c.Email)
			}
		}
	})
}

// An account shows the orders that were placed with its address, also if the customer has another one now.
func TestOrdersOfAnAddress(t *testing.T) {
	each(t, func(t *testing.T, p, other *shop) {
		mine := []int64{p.order("ada@example.com").Number, p.order("ada@example.com").Number}
		p.order("eve@example.com")
		other.order("ada@example.com")
		session := p.enter("ada@example.com")
		a := p.account(session)
		if got := p.numbers(a); fmt.Sprint(got) != fmt.Sprint([]int64{mine[1], mine[0]}) {
			t.Fatalf("orders %v, want %v", got, mine)
		}
		// The staff give the customer another address: the session ends, and later orders are those
		// of the new address alone.
		changed := graphtest.Must[*model.CustomerPayload](t)(p.Mutation().CustomerUpdate(p.Ctx, a.Customer.PublicID(),
			a.Customer.Version, model.CustomerUpdateInput{Email: model.Some("new@example.com")})).Customer
		if p.account(session) != nil {
			t.Error("the session of the former address goes on")
		}
		if _, err := p.Sessions(p.ctx, a); err != nil {
			t.Fatal(err)
		}
		if err := p.SetMarketing(p.ctx, a, true); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("a change with the former address: %v", err)
		}
		later := p.order("new@example.com", changed.PublicID()).Number
		owner := p.account(p.enter("new@example.com"))
		if got := p.numbers(owner); owner.Customer.ID != changed.ID || fmt.Sprint(got) != fmt.Sprint([]int64{later}) {
			t.Errorf("the new address sees %v", got)
		}
		former := p.account(p.enter("ada@example.com"))
		if got := p.numbers(former); former.Customer.ID == changed.ID || len(got) != 2 {
			t.Errorf("the former address sees %v", got)
		}
		// A redacted customer has no account, and a new one has none of the old orders.
		c := owner.Customer
		graphtest.Must[*model.CustomerPayload](t)(p.Mutation().CustomerRedact(p.Ctx, c.PublicID(), c.Version))
		again := p.account(p.enter("new@example.com"))
		if again.Customer.ID == c.ID || len(p.numbers(again)) != 0 {
			t.Errorf("after the redaction: %v", p.numbers(again))
		}
	})
}

// Orders come in pages.
func TestOrderPages(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		for range shopper.OrdersPage + 2 {
			p.order("ada@example.com")
		}
		a := p.account(p.enter("ada@example.com"))
		first, next, err := p.Orders(p.ctx, a, "")
		if err != nil || len(first) != shopper.OrdersPage || next == "" {
			t.Fatalf("%d orders, %q, %v", len(first), next, err)
		}
		rest, next, err := p.Orders(p.ctx, a, next)
		if err != nil || len(rest) != 2 || next != "" || rest[0].Number >= first[len(first)-1].Number {
			t.Errorf("%d orders, %q, %v", len(rest), next, err)
		}
		if _, _, err := p.Orders(p.ctx, a, "ord_x"); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("a wrong page: %v", err)
		}
	})
}

// The address that a stranger entered with an order is proposed to nobody until its shopper
// chooses it.
func TestAddressesOfAnAccount(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		planted := &model.AddressInput{Line1: "Trap 1", City: "Berlin", Country: "DE"}
		graphtest.Must[*model.CustomerPayload](t)(p.Mutation().CustomerCreate(p.Ctx, model.CustomerCreateInput{
			Email: new("ada@example.com"), Status: state.CustomerGuest, EmailMarketing: state.EmailNotSubscribed,
			DefaultAddress: planted}))
		session := p.enter("ada@example.com")
		show := func() string {
			t.Helper()
			text := ""
			for _, x := range graphtest.Must[[]shopper.Address](t)(p.account(session).Addresses()) {
				text += fmt.Sprintf("%s %v, ", x.Line1, x.Default)
			}
			return text
		}
		key := func(i int) string {
			return graphtest.Must[[]shopper.Address](t)(p.account(session).Addresses())[i].Key
		}
		home := document.AddressFields{Line1: "Home 1", City: "Bonn", Country: "DE"}
		work := document.AddressFields{Line1: "Work 1", City: "Bonn", Country: "DE"}
		for _, tc := range []struct {
			name string
			do   func(a *shopper.Account) error
			want string
		}{
			{"signed in", func(*shopper.Account) error { return nil }, "Trap 1 false, "},
			{"first", func(a *shopper.Account) error { return p.SaveAddress(p.ctx, a, "", home, false) },
				"Home 1 true, Trap 1 false, "},
			{"removed", func(a *shopper.Account) error { return p.RemoveAddress(p.ctx, a, key(1)) }, "Home 1 true, "},
			{"the same", func(a *shopper.Account) error { return p.SaveAddress(p.ctx, a, "", home, false) },
				"Home 1 true, "},
			{"second", func(a *shopper.Account) error { return p.SaveAddress(p.ctx, a, "", work, false) },
				"Home 1 true, Work 1 false, "},
			{"chosen", func(a *shopper.Account) error { return p.SetDefault(p.ctx, a, key(1)) },
				"Work 1 true, Home 1 false, "},
			{"changed", func(a *shopper.Account) error {
				work.Line1 = "Work 2"
				return p.SaveAddress(p.ctx, a, key(0), work, false)
			}, "Work 2 true, Home 1 false, "},
			{"unknown", func(a *shopper.Account) error { return p.RemoveAddress(p.ctx, a, "x") },
				"Work 2 true, Home 1 false, "},
			{"third", func(a *shopper.Account) error {
				third := home
				third.Line1 = "Home 2"
				return p.SaveAddress(p.ctx, a, "", third, false)
			}, "Work 2 true, Home 1 false, Home 2 false, "},
			{"changed into another", func(a *shopper.Account) error {
				return p.SaveAddress(p.ctx, a, key(0), home, false)
			}, "Home 1 true, Home 2 false, "},
			{"the last changed into the first", func(a *shopper.Account) error {
				return p.SaveAddress(p.ctx, a, key(1), home, false)
			}, "Home 1 true, "},
			{"work again", func(a *shopper.Account) error { return p.SaveAddress(p.ctx, a, "", work, true) },
				"Work 2 true, Home 1 false, "},
			{"default removed", func(a *shopper.Account) error { return p.RemoveAddress(p.ctx, a, key(0)) },
				"Home 1 false, "},
		} {
			if err := tc.do(p.account(session)); err != nil || show() != tc.want {
				t.Fatalf("%s: %q, %v", tc.name, show(), err)
			}
		}
	})
}

// The consent has a time and a source, and a disabled customer has no account.
func TestConsent(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		session, begin := p.enter("ada@example.com"), micros.Now()
		for _, tc := range []struct {
			wanted bool
			want   state.EmailMarketing
		}{{false, state.EmailNotSubscribed}, {true, state.EmailSubscribed}, {false, state.EmailUnsubscribed}} {
			if err := p.SetMarketing(p.ctx, p.account(session), tc.wanted); err != nil {
				t.Fatal(err)
			}
			c := p.account(session).Customer
			if c.EmailMarketing != tc.want || tc.want != state.EmailNotSubscribed &&
				(*c.EmailMarketingSource != state.ConsentAccount || *c.EmailMarketingAt < begin) {
				t.Errorf("wanted %v: %+v", tc.wanted, c)
			}
		}
		if err := p.SetLanguage(p.ctx, p.account(session), state.Arabic); err != nil {
			t.Fatal(err)
		}
		if err := p.SetLanguage(p.ctx, p.account(session), "xx"); graphtest.FaultOf(err) != "validation_failed" {
			t.Errorf("an unknown language: %v", err)
		}
		c := p.account(session).Customer
		staff := p.As(xid.New(), viewer.Owner)
		c2 := graphtest.Must[*model.CustomerPayload](t)(p.Mutation().CustomerUpdate(staff, c.PublicID(), c.Version,
			model.CustomerUpdateInput{EmailMarketing: model.Some(state.EmailSubscribed)})).Customer
		if *c.Locale != "ar" || *c2.EmailMarketingSource != state.ConsentStaff {
			t.Errorf("%+v", c2.Customer)
		}
		graphtest.Must[*model.CustomerPayload](t)(p.Mutation().CustomerDisable(staff, c2.PublicID(), c2.Version))
		if p.account(session) != nil {
			t.Error("a disabled customer has an account")
		}
		token, code := p.ask("ada@example.com")
		if _, err := p.SignIn(p.ctx, token, code, ""); !errors.Is(err, shopper.ErrDisabled) {
			t.Errorf("a disabled customer signs in: %v", err)
		}
	})
}
