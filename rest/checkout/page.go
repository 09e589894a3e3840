package checkout

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed templates frame.html page.css passkey.js
var files embed.FS

// policy allows the stylesheet and images of the same host, and forms that are sent there, but
// no scripts.
const policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'"

// awayPolicy is the policy of pages whose form leads to Stripe: browsers apply form-action to
// redirects too. Never changed.
var awayPolicy = strings.Replace(policy, "form-action 'self'", "form-action 'self' https://checkout.stripe.com", 1)

// scriptPolicy is the policy of pages that may ask the browser for a passkey.
const scriptPolicy = policy + "; script-src 'self'"

// policyOf returns the policy of a page.
func policyOf(page any) string {
	switch page.(type) {
	case SignInPage, SettingsPage:
		return scriptPolicy
	}
	if leads(page) {
		return awayPolicy
	}
	return policy
}

// leads reports whether a form of the page leads to a payment provider.
func leads(page any) bool {
	switch p := page.(type) {
	case ReviewPage:
		return p.Away
	case StatusPage:
		return p.Away
	}
	return false
}

// templates returns the pages by name. Each is parsed on first use.
func templates() (map[string]func() (*template.Template, error), error) {
	list, err := files.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	pages := map[string]func() (*template.Template, error){}
	for _, f := range list {
		pages[strings.TrimSuffix(f.Name(), path.Ext(f.Name()))] = sync.OnceValues(func() (*template.Template, error) {
			return template.ParseFS(files, "frame.html", "templates/"+f.Name())
		})
	}
	return pages, nil
}

// nameOf returns the template of a page.
func nameOf(page any) string {
	switch page.(type) {
	case CartPage:
		return "cart"
	case DetailsPage:
		return "details"
	case DeliveryPage:
		return "delivery"
	case ReviewPage:
		return "review"
	case LeftPage:
		return "left"
	case CancelPage:
		return "cancel"
	case PayPage:
		return "pay"
	case LeavePage:
		return "leave"
	case StatusPage:
		return "status"
	case PasswordPage:
		return "password"
	case LegalPage:
		return "legal"
	case SignInPage:
		return "sign-in"
	case CodePage:
		return "code"
	case OrdersPage:
		return "orders"
	case AddressesPage:
		return "addresses"
	case AddressPage:
		return "address"
	case SettingsPage:
		return "settings"
	case ReturnPage:
		return "return"
	case FindPage:
		return "find"
	case DeletePage:
		return "delete"
	default:
		return "message"
	}
}

// html renders a page.
func (c *Checkout) html(page any) ([]byte, error) {
	t, err := c.pages[nameOf(page)]()
	if err != nil {
		return nil, fmt.Errorf("page %T: %w", page, err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "frame.html", page); err != nil {
		return nil, fmt.Errorf("page %T: %w", page, err)
	}
	return b.Bytes(), nil
}

// show answers with a page, rendered completely before its first byte is sent.
func (c *Checkout) show(w http.ResponseWriter, r *http.Request, status int, page any) {
	body, err := c.html(page)
	if err != nil {
		c.Logger.ErrorContext(r.Context(), "page of a checkout failed", "error", err)
		guard(w.Header())
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	h := w.Header()
	guard(h)
	h.Set("Content-Security-Policy", policyOf(page))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// guard sets the security headers of every page. No other site sees the address of a page as the
// referrer; our own forms still send their origin.
func guard(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
	if h.Get("Referrer-Policy") == "" {
		h.Set("Referrer-Policy", "same-origin")
	}
}

// to redirects the browser to another page of the shop with GET.
func to(w http.ResponseWriter, address string) {
	h := w.Header()
	guard(h)
	h.Set("Location", address)
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusSeeOther)
}
