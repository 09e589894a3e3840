package shopper_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/shopper"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// A shopper gets a file of their own data, without what the staff noted for themselves.
func TestData(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		a := p.account(p.enter("ada@example.com"))
		c := graphtest.Must[*model.CustomerPayload](t)(p.Mutation().CustomerUpdate(p.Ctx, a.Customer.PublicID(),
			a.Customer.Version, model.CustomerUpdateInput{Note: model.Some("secret"),
				Tags: model.Given([]string{"secret"}), Phone: model.Some("030 1")})).Customer
		p.order("eve@example.com")
		o := p.order("ada@example.com", c.PublicID())
		graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderUpdate(p.Ctx, o.PublicID(), o.Version,
			model.OrderUpdateInput{Tags: model.Given([]string{"secret"})}))
		body := graphtest.Must[[]byte](t)(p.Data(p.ctx, p.account(p.enter("ada@example.com"))))
		var file struct {
			Customer struct{ Email, Phone string }
			Sessions []struct{ Browser string }
			Orders   []struct {
				Number    int64
				LineItems []struct{ Title string } `json:"line_items"`
			}
		}
		if err := json.Unmarshal(body, &file); err != nil {
			t.Fatal(err)
		}
		if file.Customer.Email != "ada@example.com" || file.Customer.Phone != "030 1" || len(file.Sessions) != 2 ||
			len(file.Orders) != 1 || file.Orders[0].Number != o.Number || file.Orders[0].LineItems[0].Title != "Bell" {
			t.Errorf("%s", body)
		}
		if strings.Contains(string(body), "secret") || strings.Contains(string(body), "eve@") {
			t.Errorf("the file has more than the person's own data: %s", body)
		}
	})
}

// An account is erased once its orders are finished, with a code for that purpose and address.
func TestErase(t *testing.T) {
	each(t, func(t *testing.T, p, _ *shop) {
		session := p.enter("ada@example.com")
		a := p.account(session)
		o := p.order("ada@example.com", a.Customer.PublicID())
		signIn, signInCode := p.ask("ada@example.com")
		ask := func(email string) (token, code string) {
			t.Helper()
			token = graphtest.Must[string](t)(p.Ask(p.ctx, state.ShopperErase, email))
			list := p.mails(email)
			return token, codeForm.FindString(list[len(list)-1].Body)
		}
		token, code := ask("ada@example.com")
		foreign, foreignCode := ask("eve@example.com")
		erases := func(name, token, code string, want error) {
			t.Helper()
			if err := p.Erase(p.ctx, a, token, code); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
		erases("a code to sign in", signIn, signInCode, shopper.ErrOver)
		erases("the code of another address", foreign, foreignCode, shopper.ErrOver)
		erases("a wrong code", token, "x", shopper.ErrWrong)
		erases("with an open order", token, code, shopper.ErrUnfinished)
		if _, err := p.SignIn(p.ctx, token, code, ""); !errors.Is(err, shopper.ErrOver) {
			t.Errorf("a code to erase signs in: %v", err)
		}
		graphtest.Must[*model.OrderPayload](t)(p.Mutation().OrderCancel(p.Ctx, o.PublicID(), o.Version, false, nil))
		erases("in time", token, code, nil)
		erases("again", token, code, shopper.ErrOver)
		c := graphtest.Must[*model.Customer](t)(p.Query().Customer(p.Ctx, a.Customer.PublicID()))
		left := graphtest.Must[*model.Order](t)(p.Query().Order(p.Ctx, o.PublicID()))
		if c.Status != state.CustomerRedacted || left.Email != nil || p.account(session) != nil {
			t.Errorf("after the deletion: %+v, %+v", c.Customer, left.Order)
		}
	})
}
