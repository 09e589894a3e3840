//go:build !race

package e2e

import (
	"image/color"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// A merchant on a fresh installation sets up the shop with the checklist on Home, in few clicks. Then
// shoppers buy in three languages, on a phone without scripts: they get their emails, and a webhook
// receiver gets one order.created and one order.paid per order.
func TestBrowserOpening(t *testing.T) {
	t.Parallel()
	began := time.Now()
	data, mails := t.TempDir(), newPost(t)
	store := parse[struct {
		Invitation struct{ Link string }
	}](t, command(t, "store", "create", "Blue Door Books", "--currency", "EUR", "--owner-email",
		"ana@bluedoor.example", "--data", data, "--json"))
	s := settings{Data: data, Args: append(mails.flags(), "--rate-limit", "0", "--allow-loopback-webhooks",
		"--limit", "new_store_days=0")} // a new store sends few emails a day
	p := start(t, s)
	b := p.browse(t)
	link, _ := url.Parse(store.Invitation.Link)
	b.open(link.Path)
	b.fill(`input[name="name"]`, "Ana")
	b.fill(`input[name="password"]`, "a quiet kite over the bay")
	b.click(`button[value="join"]`)
	b.setUp(t)

	in := place{"--data", data, "--json"}
	token := parse[struct{ Token string }](t,
		command(t, in.with("staff", "token", "ana@bluedoor.example")...)).Token
	key := parse[made](t, command(t, in.with("key", "create", "--name", "x", "--scope",
		"orders.read,webhooks.write")...)).Secret
	front := p.front(t, token)
	host, _ := url.Parse(front)
	sale := &sale{b: b, began: began, mails: mails, front: front, token: token, counter: &counter{settings: s,
		program: p, host: host.Hostname(), http: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}}
	received := receiving(t).open("/orders", nil)
	p.register(t, key, received, "order.created", "order.paid")
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.dress("light", 360)
	for _, l := range []state.Language{state.German, state.Japanese, state.Arabic} {
		sale.in(l)
	}
	sale.read()
	received.sink.complete(t, settled, &sale.sold, received)
}

// setUp follows the checklist of a new store.
func (b *browser) setUp(t *testing.T) {
	t.Helper()
	b.click(`[data-test="quick-setup"]`)
	b.shot("opening")
	b.await("the countries", `document.querySelector('dialog option[value="DE"]')`)
	b.set(`dialog select[name="country"]`, "DE")
	evaluate[any](b, `document.querySelector('dialog select').dispatchEvent(new Event('change')) && null`)
	b.clicks++
	b.fill(`dialog input[name="price"]`, "4.90")
	b.fill(`dialog textarea[name="instructions"]`, "IBAN DE02 1203 0000 0000 2020 51")
	b.click(`dialog [data-test="submit"]`)
	b.seeText("Your shop is set up.")
	b.gone(`[data-test="quick-setup"]`)

	b.click(`[data-test="opening"] a[href$="/products/new"]`)
	b.fill(`input[name="title"]`, "Atlas of tides")
	b.fill(`input[name="priceMinor"]`, "29.90")
	b.click(`form [data-test="submit"]`)
	b.see(`[data-test="photo-file"]`)
	b.run(chromedp.SetUploadFiles(css(`[data-test="photo-file"]`), []string{
		photo(t, "atlas.png", color.RGBA{30, 90, 200, 255})}))
	b.clicks++
	b.see(`[data-test="photo"]`)
	b.click(`[data-test="productPublish"]`)
	b.seeText("Product published.")
	b.click(`[data-test="setup-back"]`)
	b.seeText("6 of 9 steps are done.")
	b.shot("opening-after")
	if drafts := evaluate[int](b, `document.querySelectorAll('[data-test="opening"] a svg').length`); drafts != 7 {
		t.Errorf("%d symbols in the checklist, want 6 checks and the one of a new tab", drafts)
	}
	b.click(`[data-test="opening-dismiss"]`)
	b.gone(`[data-test="opening"]`)
}

// sale is a shop that sells in several languages.
type sale struct {
	*counter
	b            *browser
	began        time.Time // when the installation was empty
	mails        *post
	front, token string
	sold         journal
	letters      []awaited
}

// in sells two orders in a language, one with a browser and one with plain forms. The first is
// paid, shipped and refunded, the second is canceled.
func (s *sale) in(l state.Language) {
	t, texts := s.b.t, phrase.In(l)
	t.Helper()
	var store struct{ Store struct{ Version int } }
	s.program.graphql(t, s.token, `{ store { version } }`, nil, &store)
	s.program.graphql(t, s.token, `mutation($v: Long!, $l: Language!) { storeUpdate(input: {expectedVersion: $v, `+
		`language: $l}) { store { language } } }`,
		map[string]any{"v": store.Store.Version, "l": strings.ToUpper(string(l))}, &struct{}{})
	s.b.visit(s.front, string(l), `document.documentElement.lang === '`+string(l)+`' &&
		document.documentElement.dir === '`+phrase.In(l).Direction+`'`)
	s.b.buys("opening-"+string(l), s.front, string(l)+"@example.com", "Ada Lovelace")
	if took := time.Since(s.began); s.letters == nil {
		t.Logf("the first order after %d clicks and %s", s.b.clicks, took.Round(time.Millisecond))
		if s.b.clicks > 30 || took > 180*time.Second {
			t.Errorf("the first order takes %d clicks and %s, want at most 30 and 3m", s.b.clicks, took)
		}
	}
	o := s.newest()
	s.sold.add(o.ID, "order.created", "order.paid")
	s.awaits(l, o, phrase.ConfirmedSubject, "IBAN DE02 1203 0000 0000 2020 51", texts.Money(6470, "EUR"))
	s.does(o.ID, "orderMarkPaid", "")
	s.awaits(l, o, phrase.PaymentSubject, texts.Money(6470, "EUR"))
	s.does(o.ID, "orderFulfill", `, input: {carrier: "DHL", trackingNumber: "00340", `+
		`trackingUrl: "https://dhl.example/00340"}`)
	s.awaits(l, o, phrase.ShippedSubject, "DHL 00340", "https://dhl.example/00340")
	s.does(o.ID, "orderRefund", ", input: {amountMinor: 2990}")
	s.awaits(l, o, phrase.RefundedSubject, texts.Money(-2990, "EUR"))

	cookie, total := s.shopper(t, o.LineItems[0].ProductID, string(l)+"@example.com", "bank_transfer")
	if status, _, body := s.ask(t, "/checkout/place", cookie, url.Values{"total": {total}}); status !=
		http.StatusSeeOther {
		t.Fatalf("placing answers %d %s", status, body)
	}
	o = s.newest()
	s.sold.add(o.ID, "order.created")
	s.does(o.ID, "orderCancel", "")
	s.awaits(l, o, phrase.ConfirmedSubject)
	s.awaits(l, o, phrase.CancelledSubject)
}

// soldOrder is an order of the shop.
type soldOrder struct {
	ID        string
	Number    int64
	LineItems []struct{ ProductID string }
}

// newest returns the latest order.
func (s *sale) newest() soldOrder {
	s.b.t.Helper()
	var found struct{ Orders struct{ Nodes []soldOrder } }
	s.program.graphql(s.b.t, s.token, `{ orders(first: 1) { nodes { id number lineItems { productId } } } }`, nil,
		&found)
	return found.Orders.Nodes[0]
}

// does sends a mutation of an order.
func (s *sale) does(id, name, more string) {
	s.b.t.Helper()
	var found struct{ Order struct{ Version int } }
	s.program.graphql(s.b.t, s.token, `query($id: ID!) { order(id: $id) { version } }`, map[string]any{"id": id}, &found)
	var done struct{ Done struct{ Order *soldOrder } }
	s.program.graphql(s.b.t, s.token, `mutation($id: ID!, $v: Long!) { done: `+name+
		`(id: $id, expectedVersion: $v`+more+`) { order { id } } }`,
		map[string]any{"id": id, "v": found.Order.Version}, &done)
	if done.Done.Order == nil {
		s.b.t.Fatalf("%s is refused", name)
	}
}

// awaited is an expected email about an order in a language.
type awaited struct {
	language state.Language
	subject  string
	parts    []string // of the text and of the HTML
}

// awaits adds an expected email.
func (s *sale) awaits(l state.Language, o soldOrder, subject phrase.Key, parts ...string) {
	s.letters = append(s.letters, awaited{l, phrase.In(l).Say(subject, strconv.FormatInt(o.Number, 10),
		"Blue Door Books"), append(parts, s.front+"orders/")})
}

// read reads as many emails as are expected, and checks each with its language and direction.
func (s *sale) read() {
	s.b.t.Helper()
	came := map[string]letter{}
	for range s.letters {
		m := s.mails.letter(s.b.t)
		came[m.to+" "+m.subject] = m
	}
	for _, w := range s.letters {
		m, ok := came["<"+string(w.language)+"@example.com> "+w.subject]
		head := `<html lang="` + string(w.language) + `" dir="` + phrase.In(w.language).Direction + `">`
		if !ok || !strings.Contains(m.html, head) {
			s.b.t.Errorf("the mail %q in %s: %+v", w.subject, w.language, m)
		}
		for _, part := range w.parts {
			if !strings.Contains(m.text, part) || !strings.Contains(m.html, part) {
				s.b.t.Errorf("the mail lacks %q:\n%s\n%s", part, m.text, m.html)
			}
		}
	}
}
