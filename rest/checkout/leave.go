package checkout

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// DeletePage explains what the deletion of an account erases.
type DeletePage struct {
	Frame
	// Sends says where the code goes.
	Sends string
}

// data is GET /account/data: a file with what the store knows about the shopper.
func (v *visit) data(a *shopper.Account) {
	body, err := v.Shoppers.Data(v.ctx, a)
	if err != nil {
		v.failed(err)
		return
	}
	h := v.w.Header()
	guard(h)
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", `attachment; filename="data.json"`)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = v.w.Write(body)
}

// deletePage is GET /account/delete.
func (v *visit) deletePage(a *shopper.Account) { v.deleteForm(a, http.StatusOK, "") }

func (v *visit) deleteForm(a *shopper.Account, status int, problem string) {
	page := DeletePage{Frame: v.frame(phrase.DeleteAccount), Sends: v.texts.Say(phrase.DeleteSend, a.Email)}
	page.Problem = problem
	v.show(v.w, v.r, status, page)
}

// askDelete is POST /account/delete: it sends the code that confirms the deletion.
func (v *visit) askDelete(a *shopper.Account) {
	if err := v.Shoppers.CanErase(v.ctx, a); err != nil {
		v.notDeleted(a, err)
		return
	}
	token, err := v.Shoppers.Ask(v.ctx, state.ShopperErase, a.Email)
	if err != nil {
		v.notDeleted(a, err)
		return
	}
	v.set(codeCookie, token)
	to(v.w, deleteCodePath)
}

func (v *visit) notDeleted(a *shopper.Account, err error) {
	limited := v.limited(err)
	switch {
	case errors.Is(err, shopper.ErrUnfinished):
		v.deleteForm(a, http.StatusConflict, v.texts.Say(phrase.OrdersUnfinished))
	case errors.Is(err, shopper.ErrOver):
		v.set(codeCookie, "")
		v.deleteForm(a, http.StatusForbidden, v.texts.Say(phrase.CodeOver))
	case limited != "":
		v.deleteForm(a, http.StatusTooManyRequests, limited)
	default:
		v.failed(err)
	}
}

// deleteCode is GET /account/delete/code.
func (v *visit) deleteCode(a *shopper.Account) { v.deleteCodeForm(a, http.StatusOK, "") }

func (v *visit) deleteCodeForm(a *shopper.Account, status int, wrong string) {
	email, err := v.Shoppers.Asked(v.ctx, state.ShopperErase, v.get(codeCookie))
	switch {
	case err != nil:
		v.failed(err)
	case email == "" && status == http.StatusOK:
		to(v.w, deletePath)
	case email == "":
		v.notDeleted(a, shopper.ErrOver)
	default:
		v.show(v.w, v.r, status, CodePage{Frame: v.frame(phrase.EnterCode), Text: v.texts.Say(phrase.CodeSent, email),
			Action: deleteCodePath, Button: v.texts.Say(phrase.DeleteAccount), Back: settingsPath,
			BackLabel: v.texts.Say(phrase.Back), Code: v.codeField(wrong)})
	}
}

// deleteAccount is POST /account/delete/code.
func (v *visit) deleteAccount(a *shopper.Account) {
	err := v.Shoppers.Erase(v.ctx, a, v.get(codeCookie), v.value("code"))
	switch {
	case errors.Is(err, shopper.ErrWrong):
		v.deleteCodeForm(a, http.StatusUnprocessableEntity, v.texts.Say(phrase.CodeWrong))
	case err != nil:
		v.notDeleted(a, err)
	default:
		v.set(codeCookie, "")
		v.set(accountCookie, "")
		v.message(http.StatusOK, phrase.DeleteAccount, phrase.AccountDeleted)
	}
}
