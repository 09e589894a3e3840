package checkout

import (
	"net/http"
	"slices"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/cart"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// AddressesPage lists the addresses of an account.
type AddressesPage struct {
	AccountFrame
	Addresses []SavedAddress
}

// SavedAddress is an address of an account, with the key that names it.
type SavedAddress struct {
	Key     string
	Lines   []string
	Default bool
}

// AddressPage is the form of an address.
type AddressPage struct {
	Frame
	Fields []Field
	Key    string
	// First says that the address is, or becomes, the default.
	First bool
}

// addresses is GET /account/addresses.
func (v *visit) addresses(a *shopper.Account) {
	list, err := a.Addresses()
	if err != nil {
		v.failed(err)
		return
	}
	page := AddressesPage{AccountFrame: v.accountFrame(a, addressesPath, phrase.Addresses)}
	for _, one := range list {
		page.Addresses = append(page.Addresses, SavedAddress{Key: one.Key, Default: one.Default,
			Lines: sales.AddressLines(v.texts, &one.AddressFields)})
	}
	v.show(v.w, v.r, http.StatusOK, page)
}

// changeAddress is POST /account/addresses: it removes an address or makes it the default.
func (v *visit) changeAddress(a *shopper.Account) {
	change := v.Shoppers.SetDefault
	key := v.value("default")
	if v.form.Has("remove") {
		change, key = v.Shoppers.RemoveAddress, v.value("remove")
	}
	v.changed(change(v.ctx, a, key), addressesPath)
}

// editAddress is GET /account/address: the form of the address that key names, or of a new one.
func (v *visit) editAddress(a *shopper.Account) {
	list, err := a.Addresses()
	if err != nil {
		v.failed(err)
		return
	}
	key := v.r.URL.Query().Get("key")
	i := slices.IndexFunc(list, func(x shopper.Address) bool { return x.Key == key })
	if i < 0 {
		v.savedForm("", false, map[string]string{}, nil)
		return
	}
	values := map[string]string{"phone": text(list[i].Phone)}
	setAddress(values, "", &list[i].AddressFields)
	v.savedForm(key, list[i].Default, values, nil)
}

// savedFields are the fields of a saved address; never changed.
var savedFields = append(slices.Clone(addressFields), contactFields[1])

func (v *visit) savedForm(key string, first bool, values, wrong map[string]string) {
	form, err := v.Carts.FormOf(v.ctx, values[countryField.name])
	if err != nil {
		v.failed(err)
		return
	}
	fields := v.addressForm(savedFields, "", country.Codes(), func(string) cart.Form { return form }, values, wrong)
	title, status := phrase.EditAddress, http.StatusOK
	if key == "" {
		title = phrase.AddAddress
	}
	if wrong != nil {
		status = http.StatusUnprocessableEntity
	}
	v.show(v.w, v.r, status, AddressPage{Frame: v.frame(title), Key: key, First: first, Fields: fields})
}

// saveAddress is POST /account/address.
func (v *visit) saveAddress(a *shopper.Account) {
	values, key, first := map[string]string{}, v.value("key"), v.form.Has("default")
	for _, b := range savedFields {
		values[b.name] = v.value(b.name)
	}
	to := addressOf(values, "")
	if values["phone"] != "" {
		to.Phone = new(values["phone"])
	}
	err := v.Carts.CheckAddress(v.ctx, to)
	if wrong := v.wrongOf(err); wrong != nil {
		v.savedForm(key, first, values, wrong)
		return
	}
	if err == nil {
		err = v.Shoppers.SaveAddress(v.ctx, a, key, *to, first)
	}
	v.changed(err, addressesPath)
}

// Wrong returns the fields with an error.
func (p AddressPage) Wrong() []Field {
	return DetailsPage{Groups: []FieldGroup{{Fields: p.Fields}}}.Wrong()
}

// SettingsPage shows the language, the consent and the sessions of an account.
type SettingsPage struct {
	AccountFrame
	Language  Field
	Marketing bool
	// Chosen says since when Marketing holds, "" if unknown.
	Chosen   string
	Sessions []SessionRow
	Passkeys []SessionRow
	// Passkey is the argument of the browser for a new passkey, "" if the host has none.
	Passkey string
}

// SessionRow is a browser that is signed in, or a passkey with its host.
type SessionRow struct {
	ID, Browser, Address, Used string
	Mine                       bool
}

// languageNames are the languages in their own words; never changed.
var languageNames = map[state.Language]string{state.English: "English", state.German: "Deutsch",
	state.French: "Français", state.Spanish: "Español", state.Japanese: "日本語", state.Arabic: "العربية"}

// settings is GET /account/settings.
func (v *visit) settings(a *shopper.Account) {
	sessions, err := v.Shoppers.Sessions(v.ctx, a)
	if err != nil {
		v.failed(err)
		return
	}
	zone, err := v.Core.Zone(v.ctx)
	if err != nil {
		v.failed(err)
		return
	}
	passkey, err := v.Shoppers.NewPasskey(v.ctx, v.origin(), a)
	if err != nil {
		v.failed(err)
		return
	}
	passkeys, err := v.passkeys(a, zone)
	if err != nil {
		v.failed(err)
		return
	}
	page := SettingsPage{AccountFrame: v.accountFrame(a, settingsPath, phrase.Settings),
		Passkey: string(passkey), Passkeys: passkeys,
		Marketing: a.Customer.EmailMarketing == state.EmailSubscribed,
		Language: Field{Name: "language", Label: v.texts.Say(phrase.Language), Value: string(v.texts.Language),
			Autocomplete: "language"}}
	for _, l := range state.Languages() {
		page.Language.Options = append(page.Language.Options, Option{string(l), languageNames[l]})
	}
	if at := a.Customer.EmailMarketingAt; at != nil {
		page.Chosen = v.texts.Say(phrase.ChosenOn, v.texts.Date(at.Time().In(zone)))
	}
	for _, s := range sessions {
		page.Sessions = append(page.Sessions, SessionRow{ID: s.ID.String(), Browser: s.Agent, Address: text(s.Address),
			Used: v.texts.Say(phrase.LastUsed, v.texts.Date(s.SeenAt.Time().In(zone))), Mine: s.ID == a.Session})
	}
	v.show(v.w, v.r, http.StatusOK, page)
}

// saveSettings is POST /account/settings.
func (v *visit) saveSettings(a *shopper.Account) {
	err := v.Shoppers.SetLanguage(v.ctx, a, state.Language(v.value("language")))
	if err == nil {
		err = v.Shoppers.SetMarketing(v.ctx, a, v.form.Has("marketing"))
	}
	v.changed(err, settingsPath)
}

// endSession is POST /account/sessions: it ends one session, or all of them.
func (v *visit) endSession(a *shopper.Account) {
	id := v.value("session")
	if v.form.Has("all") {
		id = ""
	} else if id == "" {
		v.missing()
		return
	}
	v.changed(v.Shoppers.End(v.ctx, a, id), settingsPath)
}
