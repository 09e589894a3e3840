package checkout

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// Paths of the account.
const (
	accountPath   = "/account"
	signInPath    = accountPath + "/sign-in"
	codePath      = accountPath + "/code"
	signOutPath   = accountPath + "/sign-out"
	addressesPath = accountPath + "/addresses"
	addressPath   = accountPath + "/address"
	settingsPath  = accountPath + "/settings"
	sessionsPath  = accountPath + "/sessions"
	passkeyPath   = accountPath + "/passkey"
	passkeysPath  = accountPath + "/passkeys"
	dataPath      = accountPath + "/data"
	deletePath    = accountPath + "/delete"
	// deleteCodePath confirms a deletion.
	deleteCodePath = deletePath + "/code"
)

// AccountFrame is common to the pages of a signed-in shopper.
type AccountFrame struct {
	Frame
	Email string
	Tabs  []Step
	Saved bool
}

// accountHandlers returns what answers at a path of the account.
func (v *visit) accountHandlers(path string) (get, post func()) {
	if !v.Shoppers.Available() {
		off := func() { v.message(http.StatusNotFound, phrase.SignIn, phrase.NoSignIn) }
		return off, off
	}
	switch path {
	case accountPath:
		return v.overview, nil
	case signInPath:
		return v.signInPage, v.ask
	case codePath:
		return v.codePage, v.signIn
	case signOutPath:
		return nil, v.entered(v.signOut)
	case addressesPath:
		return v.entered(v.addresses), v.entered(v.changeAddress)
	case addressPath:
		return v.entered(v.editAddress), v.entered(v.saveAddress)
	case settingsPath:
		return v.entered(v.settings), v.entered(v.saveSettings)
	case sessionsPath:
		return nil, v.entered(v.endSession)
	case passkeyPath:
		return nil, v.usePasskey
	case passkeysPath:
		return nil, v.entered(v.changePasskeys)
	case dataPath:
		return v.entered(v.data), nil
	case deletePath:
		return v.entered(v.deletePage), v.entered(v.askDelete)
	case deleteCodePath:
		return v.entered(v.deleteCode), v.entered(v.deleteAccount)
	}
	return nil, nil
}

// signedIn returns the account of the browser, nil if nobody is signed in.
func (v *visit) signedIn() (*shopper.Account, error) {
	if v.account != nil {
		return v.account, nil
	}
	a, err := v.Shoppers.Account(v.ctx, v.get(accountCookie))
	v.account = a
	return a, err
}

// entered runs a page of a signed-in shopper, in their language. Anyone else is asked to sign in.
func (v *visit) entered(show func(*shopper.Account)) func() {
	return func() {
		a, err := v.signedIn()
		switch {
		case err != nil:
			v.failed(err)
		case a == nil:
			to(v.w, signInPath)
		default:
			if l := languageOf(a.Customer); l.Known() {
				v.texts = phrase.In(l)
			}
			show(a)
		}
	}
}

// languageOf returns the language that a customer chose.
func languageOf(c *db.Customer) state.Language { return state.Language(text(c.Locale)) }

// tabs are the pages of an account; never changed.
var tabs = []struct {
	path  string
	label phrase.Key
}{{accountPath, phrase.YourOrders}, {addressesPath, phrase.Addresses}, {settingsPath, phrase.Settings}}

// accountFrame returns what the pages of an account have in common.
func (v *visit) accountFrame(a *shopper.Account, path string, title phrase.Key) AccountFrame {
	f := AccountFrame{Frame: v.frame(title), Email: a.Email, Saved: v.r.URL.Query().Has("saved")}
	for _, t := range tabs {
		f.Tabs = append(f.Tabs, Step{Label: v.texts.Say(t.label), URL: t.path, Now: t.path == path})
	}
	return f
}

// OrdersPage lists the orders of an account.
type OrdersPage struct {
	AccountFrame
	Orders []OrderRow
	// Older is the address of the next page, "" at the end.
	Older string
}

// OrderRow is an order in a list.
type OrderRow struct {
	Title, URL, Date, Total string
	States                  []string
}

// overview is GET /account: the orders of a signed-in shopper.
func (v *visit) overview() { v.entered(v.orders)() }

func (v *visit) orders(a *shopper.Account) {
	list, next, err := v.Shoppers.Orders(v.ctx, a, v.r.URL.Query().Get("before"))
	if err != nil {
		v.failed(err)
		return
	}
	zone, err := v.Core.Zone(v.ctx)
	if err != nil {
		v.failed(err)
		return
	}
	page := OrdersPage{AccountFrame: v.accountFrame(a, accountPath, phrase.YourOrders)}
	if next != "" {
		page.Older = accountPath + "?before=" + next
	}
	for _, o := range list {
		page.Orders = append(page.Orders, OrderRow{
			Title: v.texts.Say(phrase.OrderNumber, strconv.FormatInt(o.Number, 10)), URL: v.orderPath(o.ID),
			Date: v.texts.Date(o.PlacedAt.Time().In(zone)), Total: v.texts.Money(o.TotalMinor, o.Currency),
			States: v.states(&storefront.ShopperOrder{Order: o})})
	}
	v.show(v.w, v.r, http.StatusOK, page)
}

// changed goes on after a change of an account.
func (v *visit) changed(err error, path string) {
	switch {
	case err == nil:
		to(v.w, path+"?saved")
	case fault.IsState(err, fault.LimitReached):
		v.message(http.StatusConflict, phrase.Addresses, phrase.AddressesFull)
	default:
		v.failed(err)
	}
}

// propose fills in what the account of a signed-in shopper has. An address to which the store does
// not ship stays out.
func (v *visit) propose(values map[string]string, ships bool) {
	a, err := v.signedIn()
	if err != nil || a == nil {
		return
	}
	values["email"] = a.Email
	saved, err := a.Default()
	if err != nil || saved == nil {
		return
	}
	if ships {
		codes, all, err := v.Core.Destinations(v.ctx)
		if err != nil || !all && len(codes) > 0 && !slices.Contains(codes, saved.Country) {
			return
		}
	}
	setAddress(values, "", saved)
	values["phone"] = text(saved.Phone)
}
