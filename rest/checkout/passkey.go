package checkout

import (
	"errors"
	"net/http"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// origin returns the origin of the page that the shopper sees.
func (v *visit) origin() string {
	scheme := "http"
	if v.secure() {
		scheme = "https"
	}
	return scheme + "://" + v.r.Host
}

// usePasskey is POST /account/passkey: it signs in.
func (v *visit) usePasskey() {
	token, err := v.Shoppers.UsePasskey(v.ctx, v.origin(), []byte(v.form.Get("response")), v.get(accountCookie))
	switch {
	case errors.Is(err, shopper.ErrPasskey):
		v.signInForm(http.StatusForbidden, "", v.texts.Say(phrase.PasskeyRefused))
	case errors.Is(err, shopper.ErrDisabled):
		v.message(http.StatusForbidden, phrase.SignIn, phrase.AccountDisabled)
	case err != nil:
		v.failed(err)
	default:
		v.welcome(token)
	}
}

// passkeys returns the passkeys of an account for its settings.
func (v *visit) passkeys(a *shopper.Account, zone *time.Location) (list []SessionRow, err error) {
	rows, err := v.Shoppers.Passkeys(v.ctx, a)
	for _, p := range rows {
		at := p.ID.Time()
		if p.UsedAt != nil {
			at = *p.UsedAt
		}
		list = append(list, SessionRow{ID: p.ID.String(), Browser: p.Agent, Address: p.Host,
			Used: v.texts.Say(phrase.LastUsed, v.texts.Date(at.Time().In(zone)))})
	}
	return list, err
}

// changePasskeys is POST /account/passkeys: it adds a passkey or removes one.
func (v *visit) changePasskeys(a *shopper.Account) {
	if v.form.Has("remove") {
		v.changed(v.Shoppers.RemovePasskey(v.ctx, a, v.value("remove")), settingsPath)
		return
	}
	err := v.Shoppers.AddPasskey(v.ctx, v.origin(), a, []byte(v.form.Get("response")))
	switch {
	case errors.Is(err, shopper.ErrPasskey):
		v.message(http.StatusForbidden, phrase.Passkeys, phrase.PasskeyRefused)
	case fault.IsState(err, fault.LimitReached):
		v.message(http.StatusConflict, phrase.Passkeys, phrase.PasskeysFull)
	default:
		v.changed(err, settingsPath)
	}
}
