package checkout

import (
	"net/http"

	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// findFields is the form that emails the link to an order; never changed.
var findFields = []blank{
	{"number", phrase.FindOrderNumber, "text", "off", maxLine, true},
	{"email", phrase.Email, "email", "email", maxEmail, true},
}

// FindPage asks for the number and the email address of an order.
type FindPage struct {
	Frame
	Fields []Field
	// Withdraws says that the order's page lets shoppers withdraw from the contract.
	Withdraws bool
}

// findPage is GET /orders/find.
func (v *visit) findPage() {
	if !v.Shoppers.Available() || !v.shop.Open {
		v.missing()
		return
	}
	v.findForm(http.StatusOK, nil, "")
}

func (v *visit) findForm(status int, wrong map[string]string, problem string) {
	values := map[string]string{"number": v.value("number"), "email": v.value("email")}
	page := FindPage{Frame: v.frame(phrase.FindOrder), Fields: fieldsOf(v.texts, findFields, values, wrong),
		Withdraws: v.shop.Withdraws}
	page.Problem = problem
	v.show(v.w, v.r, status, page)
}

// find is POST /orders/find. Its answer does not depend on whether the store has the order.
func (v *visit) find() {
	if !v.Shoppers.Available() {
		v.missing()
		return
	}
	err := v.Shoppers.EmailOrder(v.ctx, v.value("number"), v.value("email"))
	limited := v.limited(err)
	switch wrong := v.wrongOf(err); {
	case wrong != nil:
		v.findForm(http.StatusUnprocessableEntity, wrong, "")
	case limited != "":
		v.findForm(http.StatusTooManyRequests, nil, limited)
	case err != nil:
		v.failed(err)
	default:
		v.message(http.StatusOK, phrase.FindOrder, phrase.FindOrderSent)
	}
}
