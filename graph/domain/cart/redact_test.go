package cart_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/personal"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// TestRedactedShopper enters one word wherever a shopper can enter text, in an order and in a cart
// that is not ordered, redacts the customer, and searches every column of the database for the
// word.
func TestRedactedShopper(t *testing.T) {
	each(t, func(t *testing.T, m *market) {
		m.Notifier = graphtest.Must[*notify.Notifier](t)(notify.New("https://api.example"))
		m.Use(m.Engines)
		m.VIES.Base = answering(t, `{"valid": true, "requestIdentifier": "WAPIZANZIBAR"}`)
		graphtest.Must[*model.TaxSettingsPayload](t)(m.Mutation().TaxSettingsUpdate(m.Ctx, 1, model.TaxSettingsInput{
			ReverseCharge: new(true), VatID: new("ATU12345678"), Rates: []*model.TaxRateInput{}}))
		bell := m.sell("Bell", 1490, 5)
		id, err := m.place(m.typed(bell))
		if err != nil {
			t.Fatal(err)
		}
		o := m.order(id)
		graphtest.Must[*model.ReturnPayload](t)(m.Mutation().OrderReturnCreate(m.Ctx, o.PublicID(), model.ReturnInput{
			Note: new("Zanzibar is too hot"), Lines: []*model.ReturnLineInput{{LineItemID: o.Lines[0].PublicID(),
				Quantity: 1, Reason: state.ReasonNone}}}))
		s := graphtest.Must[*db.Store](t)(m.CurrentStore(m.ctx))
		graphtest.Must[*model.StorePayload](t)(m.Mutation().StorefrontUpdate(m.Ctx, model.StorefrontUpdateInput{
			ExpectedVersion: s.Version,
			Returns:         graphtest.Given(&document.ReturnTerms{Days: 14, Withdrawal: new(true)})}))
		other, err := m.place(m.typed(bell))
		if err == nil {
			err = m.Shoppers().Return(m.ctx, other, sales.ByWithdrawal, "Ada Zanzibar", model.ReturnInput{
				Lines: []*model.ReturnLineInput{{LineItemID: m.order(other).Lines[0].PublicID(), Quantity: 1,
					Reason: state.ReasonNone}}},
				graphtest.Must[[]byte](t)(base64.StdEncoding.DecodeString(graphtest.Photo(t, 4, 3))))
		}
		if err != nil {
			t.Fatal(err)
		}
		m.typed(bell)
		token := digest.NewToken()
		if err := m.BeginSession(m.ctx, xid.New(), token, cart.Wish{
			Lines: []cart.Amount{{ProductRef: bell, Quantity: 1}},
			Buyer: &cart.SessionBuyer{FirstName: "Zanzibar", Email: "ada@zanzibar.example"}}); err != nil {
			t.Fatal(err)
		}
		m.signIn("ada@zanzibar.example")
		before := m.columnsWith("zanzibar")
		for _, want := range []string{"orders.email", "notes.body", "events.body", "carts.note", "carts.address",
			"carts.session", "mails.recipient", "customers.email", "carts.vat_consultation",
			"orders.vat_consultation", "shopper_sessions.email", "shopper_passkeys.email", "order_returns.note",
			"order_returns.name", "order_returns.email"} {
			if before[want] == 0 {
				t.Fatalf("%s does not contain the word: the test is ineffective", want)
			}
		}
		if ids := m.columnsWith("de999999999"); ids["carts.vat_id"] == 0 || ids["orders.vat_id"] == 0 {
			t.Fatalf("the VAT id is only in %v", ids)
		}
		if m.returnFiles() != 1 {
			t.Fatal("no return has a photo: the test is ineffective")
		}
		c := graphtest.Must[*model.Customer](t)(m.Query().Customer(m.Ctx, xid.Customer.Format(*o.CustomerID)))
		graphtest.Must[*model.CustomerPayload](t)(m.Mutation().CustomerRedact(m.Ctx, c.PublicID(), c.Version))
		if err := m.Erasures.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := m.returnFiles(); n != 0 {
			t.Errorf("%d photos are left", n)
		}
		for _, word := range []string{"zanzibar", "de999999999"} {
			for column, n := range m.columnsWith(word) {
				t.Errorf("%s still contains %s, %d times", column, word, n)
			}
		}
	})
}

// signIn signs a shopper in to their account and adds a passkey.
func (m *market) signIn(email string) {
	m.t.Helper()
	token := graphtest.Must[string](m.t)(m.Shoppers().Ask(m.ctx, state.ShopperSignIn, email))
	var code string
	for _, mail := range graphtest.Must[[]*db.Mail](m.t)(m.Store.DB(m.ctx).Mail.Query().Load(m.ctx)) {
		code += regexp.MustCompile(`\b[0-9]{8}\b`).FindString(mail.Body)
	}
	session := graphtest.Must[string](m.t)(m.Shoppers().SignIn(m.ctx, token, code, ""))
	account := graphtest.Must[*shopper.Account](m.t)(m.Shoppers().Account(m.ctx, session))
	const origin = "https://bikes.example"
	options := graphtest.Must[json.RawMessage](m.t)(m.Shoppers().NewPasskey(m.ctx, origin, account))
	key := factortest.New(m.t, origin).Create(options)
	if err := m.Shoppers().AddPasskey(m.ctx, origin, account, key); err != nil {
		m.t.Fatal(err)
	}
}

// returnFiles returns how many files the returns of the store have.
func (m *market) returnFiles() int {
	return len(graphtest.Must[[]*db.ReturnFile](m.t)(m.Store.DB(m.ctx).ReturnFile.Query().Load(m.ctx)))
}

// answering serves an answer to everything and returns its address.
func answering(t *testing.T, answer string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(answer)) }))
	t.Cleanup(s.Close)
	return s.URL
}

// typed fills a cart in which every text contains the word.
func (m *market) typed(w cart.ProductRef) (token string) {
	m.t.Helper()
	token = m.add("", w, 1)
	m.ready(token, "ada@zanzibar.example")
	word := func(in string) *string { return new(in + " Zanzibar") }
	for _, err := range []error{
		m.SetDetails(m.ctx, token, &cart.Contact{Email: "ada@zanzibar.example", Phone: "+49 30 zanzibar",
			VATID: "DE999999999"}, nil),
		m.SetDetails(m.ctx, token, nil, &document.AddressFields{Name: word("Ada"), Company: word("Company"),
			Line1: "Zanzibar 1", Line2: word("Floor"), City: "Zanzibar", PostalCode: new("10115"), Country: "DE"}),
		m.SetNote(m.ctx, token, "Call Zanzibar, 0170 123"),
	} {
		if err != nil {
			m.t.Fatal(err)
		}
	}
	if err := m.SetDelivery(m.ctx, token, new(m.view(token).Rates[0].ID), nil); err != nil {
		m.t.Fatal(err)
	}
	return token
}

// columnsWith counts, per column of the database, the rows that contain a word.
func (m *market) columnsWith(word string) map[string]int {
	m.t.Helper()
	found := map[string]int{}
	personal.Columns(func(table, column string, _ personal.Class) bool {
		rows, err := m.Store.Raw().QueryContext(m.t.Context(), "SELECT `"+column+"` FROM `"+table+"`")
		if err != nil {
			m.t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var value []byte
			if err := rows.Scan(&value); err != nil {
				m.t.Fatal(err)
			}
			if table == "events" && column == "body" { // compressed
				var body eventbody.Body
				if err := body.Scan(value); err != nil {
					m.t.Fatal(err)
				}
				value = body
			}
			if strings.Contains(strings.ToLower(string(value)), word) {
				found[table+"."+column]++
			}
		}
		if err := rows.Err(); err != nil {
			m.t.Fatal(err)
		}
		return true
	})
	return found
}
