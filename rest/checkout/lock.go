package checkout

import (
	"encoding/hex"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/password"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

const (
	passwordPath = "/password"
	// unlockTime is how long a visitor needs not enter the password again.
	unlockTime = 30 * 24 * time.Hour
)

// Names of the cookie of visitors who entered the password of a shop.
const (
	secureUnlock = "__Host-visitor"
	plainUnlock  = "visitor"
)

// Locked reports whether a request needs the password of the shop: for everything but orders and
// the stylesheet of these pages. [Checkout.Serve] then asks for it, or shows a legal page.
func (c *Checkout) Locked(r *http.Request, store xid.ID, shop *storefront.State) bool {
	if shop.Front.Password == "" || strings.HasPrefix(r.URL.Path, orderRoot) || r.URL.Path == stylePath {
		return false
	}
	v := &visit{Checkout: c, r: r, shop: shop}
	for _, cookie := range r.CookiesNamed(v.unlockName()) {
		params, err := c.Links.Verify(passwordPath, cookie.Value, micros.Now())
		if err == nil && params["store"] == xid.Store.Format(store) && params["of"] == passwordSum(shop) {
			return false
		}
	}
	return true
}

// passwordSum changes with the password, which ends the visits that a former one allowed.
func passwordSum(shop *storefront.State) string {
	const long = 8 // bytes
	sum := digest.Of([]byte(shop.Front.Password))
	return hex.EncodeToString(sum[:long])
}

func (v *visit) unlockName() string {
	if v.secure() {
		return secureUnlock
	}
	return plainUnlock
}

// locked answers a request that needs the password.
func (v *visit) locked() {
	v.outside = true
	switch {
	case v.r.URL.Path == "/robots.txt":
		h := v.w.Header()
		guard(h)
		h.Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = v.w.Write([]byte("User-agent: *\nDisallow: /\n"))
	case v.r.Method == http.MethodPost && v.r.URL.Path == passwordPath:
		if v.read() {
			v.unlock()
		}
	case v.r.Method != http.MethodPost && strings.HasPrefix(v.r.URL.Path, storefront.PageRoot) && v.showLegal():
	default:
		v.askPassword(http.StatusForbidden, "")
	}
}

// showLegal answers with a legal page, which the law requires to be readable without the password,
// and reports whether the request is for one. The page is shown without the theme, whose menus name
// products.
func (v *visit) showLegal() bool {
	f := v.frame(phrase.Information)
	if !slices.ContainsFunc(f.Legal, func(o Option) bool { return o.Value == v.r.URL.Path }) {
		return false
	}
	text, err := v.Core.Page(v.ctx, strings.TrimPrefix(v.r.URL.Path, storefront.PageRoot))
	if err != nil {
		v.failed(err)
		return true
	}
	f.Title = text.Title
	body := template.HTML(text.HTML) //nolint:gosec // the renderer escapes all text
	v.show(v.w, v.r, http.StatusOK, LegalPage{f, body})
	return true
}

func (v *visit) askPassword(status int, wrong string) {
	f := v.frame(phrase.Password)
	f.Title = v.shop.Name
	v.show(v.w, v.r, status, PasswordPage{Frame: f, Field: Field{Name: "password", Label: v.texts.Say(phrase.Password),
		Type: "password", Autocomplete: "current-password", Required: true, Error: wrong, MaxLength: 255}})
}

// unlock is POST /password. Tries are limited like those of discount codes.
func (v *visit) unlock() {
	tried := guess{network: v.guess().network}
	if d := v.guesses.take(tried); !d.OK {
		v.crowded(d.RetryAfter)
		return
	}
	ok, err := password.Verify(v.ctx, v.shop.Front.Password, v.form.Get("password"))
	switch {
	case err != nil:
		v.failed(err)
		return
	case !ok:
		v.askPassword(http.StatusUnprocessableEntity, v.texts.Say(phrase.PasswordWrong))
		return
	}
	v.guesses.giveBack(tried)
	address := v.Links.Sign(passwordPath, micros.Now().Add(unlockTime), "store", xid.Store.Format(v.store),
		"of", passwordSum(v.shop))
	_, pass, _ := strings.Cut(address, "?")
	http.SetCookie(v.w, &http.Cookie{ //nolint:gosec // without Secure on plain http only, where browsers would drop it
		Name: v.unlockName(), Value: pass, Path: "/", Secure: v.secure(), HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: int(unlockTime.Seconds()),
	})
	to(v.w, "/")
}

// pause returns the message of a shop that takes no orders, "" if it does.
func (v *visit) pause() string {
	if p := v.shop.Front.Paused(micros.Now()); p != nil {
		return p.Message
	}
	return ""
}

// buys reports whether a request would fill a cart or order it. The cart stays visible, and waiting
// payments can be made.
func (v *visit) buys() bool {
	path := v.r.URL.Path
	return path == addPath || path == checkoutPath || strings.HasPrefix(path, checkoutPath+"/") ||
		strings.HasSuffix(path, againSuffix) || strings.HasPrefix(path, leftRoot)
}
