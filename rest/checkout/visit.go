package checkout

import (
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// maxBody bounds a form, in bytes: a note of maximum length, escaped, and the other fields.
const maxBody = 64 << 10

// visit is one request to the pages of an open store.
type visit struct {
	*Checkout
	w     http.ResponseWriter
	r     *http.Request
	ctx   context.Context // acts for the shopper
	store xid.ID
	shop  *storefront.State
	brand storefront.Brand
	texts *phrase.Texts
	form  url.Values // of a POST
	// photos are those of the form.
	photos photos
	// outside says that the visitor lacks the password: pages link to nothing that needs it.
	outside bool
	// account is the signed-in shopper once [visit.signedIn] has looked.
	account *shopper.Account
}

// Serve answers a request to a page of an open store; [Owns] reports which paths these are.
func (c *Checkout) Serve(
	w http.ResponseWriter, r *http.Request, store xid.ID, shop *storefront.State, brand storefront.Brand,
) {
	v := &visit{Checkout: c, w: w, r: r, ctx: viewer.Shopper(r.Context(), store), store: store, shop: shop,
		brand: brand, texts: phrase.In(shop.Language), photos: photos{places: c.photoPlaces}}
	defer v.photos.leave()
	get, post := v.handlers()
	switch {
	case c.Locked(r, store, shop):
		v.locked()
	case v.pause() != "" && v.buys():
		v.cartAgain(http.StatusConflict, v.texts.Say(phrase.NotSelling))
	case get == nil && post == nil:
		v.missing()
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		if get == nil { // the page of a form that was sent before
			to(w, root(r.URL.Path))
			return
		}
		get()
	case r.Method == http.MethodPost && post != nil:
		if v.read() {
			post()
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		v.message(http.StatusMethodNotAllowed, phrase.TryAgain, phrase.TryAgainText)
	}
}

// root returns the page that forms without a page of their own belong to.
func root(path string) string {
	if strings.HasPrefix(path, accountPath+"/") {
		return accountPath
	}
	if order, ok := strings.CutSuffix(path, againSuffix); ok {
		return order
	}
	return cartPath
}

// handlers returns what answers at the path of the request; nil if nothing does.
func (v *visit) handlers() (get, post func()) {
	path := v.r.URL.Path
	switch path {
	case cartPath:
		return v.cart, v.edit
	case addPath:
		return nil, v.add
	case linePath:
		return nil, v.line
	case checkoutPath:
		return v.begin, nil
	case placePath:
		return nil, v.place
	case reopenPath:
		return nil, v.reopen
	case stylePath:
		return v.style, nil
	case scriptPath:
		return v.script, nil
	case passwordPath:
		return func() { to(v.w, "/") }, func() { to(v.w, "/") }
	}
	if path == accountPath || strings.HasPrefix(path, accountPath+"/") {
		return v.accountHandlers(path)
	}
	if token, ok := strings.CutPrefix(path, ResumeRoot); ok {
		return func() { v.resume(token) }, nil
	}
	if token, ok := strings.CutPrefix(path, leftRoot); ok {
		return v.left(token, v.leftPage), v.left(token, v.fetchLeft)
	}
	if line, ok := strings.CutPrefix(path, link.FileRoot); ok {
		return func() { v.download(line) }, nil
	}
	if path == findPath {
		return v.findPage, v.find
	}
	if token, ok := strings.CutPrefix(path, orderRoot); ok {
		if token, ok := strings.CutSuffix(token, returnSuffix); ok {
			return v.giveBack(token, sales.ByRequest, returnPage), v.giveBack(token, sales.ByRequest, sendReturn)
		}
		if token, ok := strings.CutSuffix(token, withdrawSuffix); ok {
			return v.giveBack(token, sales.ByWithdrawal, returnPage), v.giveBack(token, sales.ByWithdrawal, sendReturn)
		}
		if token, ok := strings.CutSuffix(token, paySuffix); ok {
			return v.paying(token, v.payPage), v.paying(token, v.pay)
		}
		if token, ok := strings.CutSuffix(token, againSuffix); ok {
			return nil, func() { v.buyAgain(token) }
		}
		if token, ok := strings.CutSuffix(token, cancelSuffix); ok {
			return v.canceling(token, v.cancelPage), v.canceling(token, v.cancel)
		}
		if token, id, ok := strings.Cut(token, link.LabelRoot); ok {
			return func() { v.label(token, id) }, nil
		}
		if token, id, ok := strings.Cut(token, invoiceRoot); ok {
			return func() { v.invoice(token, id) }, nil
		}
		return func() { v.order(token) }, nil
	}
	switch cart.Step(strings.TrimPrefix(path, checkoutPath+"/")) {
	case cart.StepDetails:
		return v.at(cart.StepDetails, v.details), v.setDetails
	case cart.StepDelivery:
		return v.at(cart.StepDelivery, v.delivery), v.setDelivery
	case cart.StepReview:
		return v.at(cart.StepReview, v.review), nil
	case "contact", "address", "shipping", "payment": // the steps of earlier releases
		return v.begin, v.begin
	}
	return nil, nil
}

// read reads a form that a page of this host sent, or answers with the error.
func (v *visit) read() bool {
	if v.origins.Check(v.r) != nil {
		v.message(http.StatusForbidden, phrase.TryAgain, phrase.TryAgainText)
		return false
	}
	media, params, err := mime.ParseMediaType(v.r.Header.Get("Content-Type"))
	if err == nil && media == "multipart/form-data" && params["boundary"] != "" && v.takesPhotos() {
		if err := v.readPhotos(); err != nil {
			v.message(http.StatusBadRequest, phrase.TryAgain, phrase.TryAgainText)
			return false
		}
		return true
	}
	if err != nil || media != "application/x-www-form-urlencoded" {
		v.message(http.StatusUnsupportedMediaType, phrase.TryAgain, phrase.TryAgainText)
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, maxBody))
	if err == nil {
		v.form, err = url.ParseQuery(string(body))
	}
	if err != nil {
		v.message(http.StatusBadRequest, phrase.TryAgain, phrase.TryAgainText)
		return false
	}
	return true
}

// value returns a field of the form as one line of text.
func (v *visit) value(name string) string { return strings.TrimSpace(v.form.Get(name)) }

// secure reports whether shoppers use https.
func (v *visit) secure() bool {
	return v.r.TLS != nil || strings.HasPrefix(v.Core.StoreOrigin(v.shop.Handle), "https://")
}

// securePrefix begins the names of cookies over https. Browsers refuse such a cookie if another host
// or plain http sets it (RFC 6265bis, section 4.1.3.2).
const securePrefix = "__Host-"

// cookie is a cookie of one host by its name over plain http.
type cookie struct {
	name string
	life time.Duration
}

// The cookies of shoppers; never changed.
var (
	cartCookie    = cookie{"cart", cart.Life * time.Second}
	accountCookie = cookie{"account", shopper.Life}
	// codeCookie is of a browser that asked for a code.
	codeCookie = cookie{"account-code", shopper.CodeLife}
)

func (v *visit) nameOf(c cookie) string {
	if v.secure() {
		return securePrefix + c.name
	}
	return c.name
}

// get returns the cookie's value, or "" if there is none or there are two: an attacker may have
// planted either.
func (v *visit) get(c cookie) string {
	list := v.r.CookiesNamed(v.nameOf(c))
	if len(list) != 1 || list[0].Quoted {
		return ""
	}
	return list[0].Value
}

// HasCart reports whether a request has the cookie of a cart.
func HasCart(r *http.Request) bool {
	return len(r.CookiesNamed(securePrefix+cartCookie.name))+len(r.CookiesNamed(cartCookie.name)) > 0
}

// set sets the cookie, or renews it; an empty value deletes it.
func (v *visit) set(c cookie, value string) {
	age := int(c.life.Seconds())
	if value == "" {
		age = -1
	}
	http.SetCookie(v.w, &http.Cookie{ //nolint:gosec // without Secure on plain http only, where browsers would drop it
		Name: v.nameOf(c), Value: value, Path: "/", Secure: v.secure(), HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: age,
	})
}

// token returns the token of the cart, or "".
func (v *visit) token() string { return v.get(cartCookie) }

// keep sets the cookie of the cart, or renews it.
func (v *visit) keep(token string) { v.set(cartCookie, token) }

// frame returns what all pages have in common.
func (v *visit) frame(title phrase.Key) Frame {
	return Frame{Texts: v.texts, Shop: v.shop.Name, Logo: v.brand.Logo, Icon: v.brand.Favicon, Style: styleOf(v.brand),
		Title: v.texts.Say(title), Legal: v.legal(), Announcement: v.announcement(),
		Accounts: v.Shoppers.Available(), Bare: v.outside}
}

// announcement returns what is shown above the page: why the shop does not sell, or what it
// announces.
func (v *visit) announcement() Option {
	if text := v.pause(); text != "" {
		return Option{Label: text}
	}
	a := v.shop.Front.Announced(micros.Now())
	if a == nil {
		return Option{}
	}
	return Option{core.Deref(a.Link), a.Text}
}

// legal returns the links to the store's legal pages, and its contact address. If the pages
// cannot be read, the page goes without them so that shoppers can still buy.
func (v *visit) legal() []Option {
	pages, err := v.Core.Legal(v.ctx)
	if err != nil {
		v.Logger.WarnContext(v.ctx, "the legal pages cannot be read", slog.Any("error", err))
	}
	list := make([]Option, 0, len(pages)+1)
	for _, p := range pages {
		if v.outside && p.Kind == string(state.PageShipping) {
			continue
		}
		list = append(list, Option{storefront.PageRoot + p.Handle, p.Title})
	}
	if v.shop.Withdraws && v.Shoppers.Available() && v.shop.Open {
		list = append(list, Option{findPath, v.texts.Say(phrase.Withdraw)})
	}
	if v.shop.ContactEmail != "" {
		list = append(list, Option{"mailto:" + v.shop.ContactEmail, v.shop.ContactEmail})
	}
	return list
}

// style serves the stylesheet in the colors of its address.
func (v *visit) style() {
	v.file("page.css", "text/css", func(body []byte) []byte {
		return append(body, branded(string(body), v.r.URL.Query())...)
	})
}

// script serves the script of pages with passkeys.
func (v *visit) script() {
	v.file("passkey.js", "text/javascript", func(body []byte) []byte { return body })
}

func (v *visit) file(name, media string, finish func([]byte) []byte) {
	body, err := files.ReadFile(name)
	if err != nil {
		v.failed(err)
		return
	}
	h := v.w.Header()
	guard(h)
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("Content-Type", media+"; charset=utf-8")
	v.w.Write(finish(body))
}
