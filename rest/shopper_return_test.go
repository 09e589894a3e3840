package rest_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/rest"
)

// returning opens a shop whose shoppers can return and withdraw, and buys and ships 2 mugs. link is the page of
// the order.
func returning(t *testing.T, edit ...func(*rest.Config)) (b *shopper, m *shop, link string) {
	t.Helper()
	store := storetest.Open(t)
	m = newShop(t, store, shopRow{Handle: "first"})
	newShop(t, store, shopRow{Handle: "second"})
	mug := selling(t, m, state.English, 5)
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Store.Update().SetStorefront(document.NewStorefront(document.StorefrontFields{
			Returns: &document.ReturnTerms{Requests: true, Withdrawal: new(true), Days: 14,
				Instructions: new("By <b>post</b>")}})).Exec(ctx)
	})
	s := newServer(t, store, append(edit, underTest(t, store), mailing(t))...)
	b = &shopper{t: t, s: s, host: "first.shops.test:8080"}
	b.review(mug, "2").fill("/checkout/place").want(http.StatusOK, "/orders/", "Withdraw from contract here")
	o := graphtest.Must[[]*db.Order](t)(store.DB(m.ctx).Order.Query().Load(m.ctx))[0]
	graphtest.Must[*model.OrderPayload](t)(graphtest.NewCore(t, store).Mutation().OrderFulfill(m.ctx, o.PublicID(),
		o.Version, model.FulfillInput{}))
	link, _, _ = strings.Cut(b.path, "?")
	return b, m, link
}

// TestWithdrawal: a shopper withdraws in two steps (Directive 2011/83/EU, Article 11a), each sentence of which
// has a line here.
func TestWithdrawal(t *testing.T) {
	b, m, link := returning(t)
	// (1) The function is labeled "withdraw from contract here", and easily accessible: on the page of the order
	// and in the footer of the shop.
	b.get("/cart").want(http.StatusOK, "/cart", `<a href="/orders/find">Withdraw from contract here</a>`)
	b.get(link).want(http.StatusOK, link, link+`/withdraw">Withdraw from contract here</a>`, "Possible until")
	// (2) The statement has the name, the contract, and where the acknowledgement of receipt goes.
	form := link + "/withdraw"
	b.get(form).want(http.StatusOK, form, `value="Ada Lovelace"`, "Order 1001", "ada@example.com", "By &lt;b&gt;post")
	line := regexp.MustCompile(`quantity\.oli_\w+`).FindString(b.body)
	b.fill(form, line, "x", "name", "<b>Ada</b>").want(http.StatusUnprocessableEntity, form, "not valid",
		`value="&lt;b&gt;Ada&lt;/b&gt;"`, `value="x"`)
	b.fill(form, line, "0").want(http.StatusUnprocessableEntity, form, "at least one item")
	b.fill(form, line, "3").want(http.StatusUnprocessableEntity, form, "not valid")
	b.fill(form, line, "1", "name", "").want(http.StatusUnprocessableEntity, form, "required")
	// (3) The statement is submitted with a function that says only "confirm withdrawal". Nothing happens before.
	b.fill(form, "name", "<b>Ada</b>").want(http.StatusOK, form, ">Confirm withdrawal</button>",
		"1 × Mug &lt;blue&gt;", "&lt;b&gt;Ada", "I withdraw from the contract")
	b.press(form, "back=1").want(http.StatusOK, form, `value="1"`, `value="&lt;b&gt;Ada&lt;/b&gt;"`)
	b.fill(form)
	if n := len(m.returns()); n != 0 {
		t.Fatalf("%d returns before the confirmation", n)
	}
	again := b.body
	// (4) The acknowledgement has the content, the date and the time: on the page, and by email.
	b.press(form, "confirm=1").want(http.StatusOK, link, "We have received your request", "Withdrawal received",
		"1 × Mug &lt;blue&gt;", "&lt;b&gt;Ada&lt;/b&gt;")
	at := m.returns()[0].ID.Time().Time().Format(":04:05")
	mail := m.lastMail("ada@example.com")
	if !strings.Contains(b.body, at) || !strings.Contains(mail, at) || !strings.Contains(mail, "1 ×") {
		t.Errorf("no receipt of %s: %s", at, mail)
	}
	// The same confirmation again takes the last unit, and then nothing is left.
	for range 2 {
		b.body = again
		b.press(form, "confirm=1").want(http.StatusOK, link)
	}
	if n := len(m.returns()); n != 2 || strings.Contains(b.body, "/withdraw") {
		t.Errorf("%d returns:\n%s", n, b.body)
	}
}

func (m *shop) returns() []*db.OrderReturn {
	m.t.Helper()
	return graphtest.Must[[]*db.OrderReturn](m.t)(m.store.DB(m.ctx).OrderReturn.Query().Load(m.ctx))
}

// lastMail returns the text of the last email to an address.
func (m *shop) lastMail(to string) (text string) {
	m.t.Helper()
	for _, row := range m.mails() {
		if row.Recipient == to {
			text = row.Body
		}
	}
	return text
}

// TestReturnRequest: a shopper asks for a return, and strangers cannot.
func TestReturnRequest(t *testing.T) {
	b, m, link := returning(t)
	form := link + "/return"
	b.get(form).want(http.StatusOK, form, "Choose the items", "Reason", `>Not as described`)
	line := regexp.MustCompile(`quantity\.oli_\w+`).FindString(b.body)
	page := b.body
	sent := url.Values{line: {"1"}, "reason": {"damaged"}, "note": {"<script>"}}.Encode()
	for name, tc := range map[string]struct {
		host, path string
		header     []string
		want       int
	}{
		"another site":  {path: form, header: []string{"Sec-Fetch-Site", "cross-site"}, want: http.StatusForbidden},
		"another shop":  {host: "second.shops.test:8080", path: form, want: http.StatusNotFound},
		"a wrong token": {path: "/orders/x/return", want: http.StatusNotFound},
		"a file":        {path: form, header: []string{"Content-Type", "multipart/form-data"}, want: 415},
	} {
		stranger := &shopper{t: t, s: b.s, host: b.host}
		if tc.host != "" {
			stranger.host = tc.host
		}
		if stranger.ask(http.MethodPost, tc.path, sent, tc.header...); stranger.status != tc.want {
			t.Errorf("%s: %d, want %d", name, stranger.status, tc.want)
		}
	}
	b.body = page
	b.fill(form, line, "1", "reason", "damaged", "note", "<script>").want(http.StatusOK, link, "Return requested",
		"1 × Mug &lt;blue&gt;")
	if row := m.returns()[0]; row.Withdrawal || !row.ByShopper || *row.Note != "<script>" {
		t.Errorf("%+v", row)
	}
	if mail := m.lastMail("ada@example.com"); !strings.Contains(mail, "We have received your request to return") {
		t.Errorf("no receipt: %s", mail)
	}
	m.tx(func(ctx context.Context, c *db.Client) error {
		return c.Store.Update().SetStatus(state.StoreClosed).Exec(ctx)
	})
	b.s = newServer(t, m.store, underTest(t, m.store), mailing(t))
	b.get(form).want(http.StatusOK, link, link+"/withdraw") // the right outlives the shop
	if b.get("/orders/find"); b.status != http.StatusNotFound || strings.Contains(b.body, "FindOrder") {
		t.Errorf("a closed shop emails links: %d", b.status)
	}
}

// TestExchangedReturn: the page of the order leads to the order in exchange.
func TestExchangedReturn(t *testing.T) {
	b, m, link := returning(t)
	do := graphtest.NewCore(t, m.store).Mutation()
	o := graphtest.Must[[]*db.Order](t)(m.store.DB(m.ctx).Order.Query().Load(m.ctx))[0]
	graphtest.Must[*model.OrderPayload](t)(do.OrderMarkPaid(m.ctx, o.PublicID(), o.Version, nil, nil))
	b.get(link + "/return")
	b.fill(link+"/return", regexp.MustCompile(`quantity\.oli_\w+`).FindString(b.body), "1")
	row := m.returns()[0]
	of := graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnApprove(m.ctx, row.PublicID(), row.Version,
		model.ReturnApproveInput{})).Return
	graphtest.Must[*model.ReturnPayload](t)(do.OrderReturnExchange(m.ctx, of.PublicID(), of.Version,
		model.ReturnExchangeInput{Lines: []*model.OrderLineInput{graphtest.CustomLine("Bowl", 1, 100)}}))
	b.get(link).want(http.StatusOK, link, "Exchanged")
	to := regexp.MustCompile(`<a href="([^"]+)">(Order \d+)</a>`).FindStringSubmatch(b.body)
	if to == nil {
		t.Fatal("no link")
	}
	b.get(to[1]).want(http.StatusOK, to[1], to[2], "Bowl")
}

// TestFindOrder: the answers about existing and other orders have the same bytes, and only the address of the
// order gets its link.
func TestFindOrder(t *testing.T) {
	b, m, _ := returning(t)
	answer := func(number, email string) string {
		b.get("/orders/find").fill("/orders/find", "number", number, "email", email).want(http.StatusOK, "/orders/find")
		return b.body
	}
	b.get("/account/sign-in").want(http.StatusOK, "/account/sign-in", `href="/orders/find"`)
	b.get("/orders/find").fill("/orders/find", "number", "x", "email", "y").want(http.StatusUnprocessableEntity,
		"/orders/find", "not valid", "not a valid email", `value="x"`)
	found, wrong := answer("1001", "ada@example.com"), answer("1001", "eve@example.com")
	none := answer("7", "carl@example.com")
	if found != wrong || found != none {
		t.Error("the answers differ")
	}
	mail := m.lastMail("ada@example.com")
	if !strings.Contains(mail, "Here is the link to your order 1001") || m.lastMail("eve@example.com") != "" {
		t.Errorf("the link went elsewhere: %q", mail)
	}
}
