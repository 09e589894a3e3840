package graph_test

import (
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
	"github.com/storefront-go/storefront/graph/graphtest"
)

// factorEffects covers the mutations of second factors, which emit no events.
var factorEffects = []effect{
	{field: "sessionProve", name: "by a token", args: fixedArgs(`input: {password: "x"}`), refused: "forbidden"},
	{field: "passkeyAsk", name: "by a token", args: fixedArgs(""), refused: "forbidden"},
	{field: "totpBegin", name: "by a token", args: fixedArgs(""), refused: "forbidden"},
	{field: "totpConfirm", name: "by a token", args: fixedArgs(`token: "x", code: "000000"`), refused: "forbidden"},
	{field: "passkeyBegin", name: "by a token", args: fixedArgs(""), refused: "forbidden"},
	{field: "passkeyFinish", name: "by a token", args: fixedArgs(`token: "x", response: "{}"`), refused: "forbidden"},
	{field: "factorRename", name: "by a token", args: fixedArgs(`id: "x", name: "x"`), refused: "forbidden"},
	{field: "factorRemove", name: "by a token", args: fixedArgs(`id: "x"`), refused: "forbidden"},
	{field: "recoveryCodesRenew", name: "by a token", args: fixedArgs(""), refused: "forbidden"},

	{field: "sessionProve", name: "by nothing", args: inBrowser(func(*caller, factor.By) string { return "input: {}" }),
		refused: "required"},
	{field: "sessionProve", name: "by a wrong code", args: inBrowser(func(*caller, factor.By) string {
		return `input: {code: "x"}`
	}), refused: "forbidden"},
	{field: "sessionProve", name: "by a recovery code", args: inBrowser(func(w *caller, by factor.By) string {
		return fmt.Sprintf("input: {code: %q}", w.factor(by).Codes[0])
	})},
	{field: "passkeyAsk", name: "in a browser", args: inBrowser(func(w *caller, by factor.By) string {
		q := graphtest.Must[*factor.Ceremony](w.t)(w.Factors.BeginPasskey(w.Ctx, by))
		made := factortest.New(w.t, graphtest.API).Create(q.Options)
		graphtest.Must[*factor.Added](w.t)(w.Factors.FinishPasskey(w.Ctx, by, q.Token, "", made))
		return ""
	})},
	{field: "totpBegin", name: "in a browser", args: inBrowser(func(*caller, factor.By) string { return "" })},
	{field: "totpConfirm", name: "in a browser", args: inBrowser(func(w *caller, by factor.By) string {
		up := graphtest.Must[*factor.SetUp](w.t)(w.Factors.BeginTOTP(w.Ctx, by))
		return fmt.Sprintf("token: %q, code: %q", up.Token, factortest.Code(w.t, up.Secret, time.Now()))
	})},
	{field: "passkeyBegin", name: "in a browser", args: inBrowser(func(*caller, factor.By) string { return "" })},
	{field: "passkeyFinish", name: "in a browser", args: inBrowser(func(w *caller, by factor.By) string {
		q := graphtest.Must[*factor.Ceremony](w.t)(w.Factors.BeginPasskey(w.Ctx, by))
		made := factortest.New(w.t, graphtest.API).Create(q.Options)
		return fmt.Sprintf("token: %q, response: %q, name: \"Key\"", q.Token, made)
	})},
	{field: "factorRename", name: "in a browser", args: inBrowser(func(w *caller, by factor.By) string {
		return fmt.Sprintf("id: %q, name: \"Other\"", w.factor(by).Factor.PublicID())
	})},
	{field: "factorRemove", name: "in a browser", args: inBrowser(func(w *caller, by factor.By) string {
		w.factor(by) // the last factor may be required: see storeRequireSecondFactor
		return fmt.Sprintf("id: %q", w.factor(by).Factor.PublicID())
	})},
	{field: "recoveryCodesRenew", name: "in a browser", args: inBrowser(func(w *caller, by factor.By) string {
		w.factor(by)
		return ""
	})},
}

// inBrowser makes the call as a member of the shop with a browser session.
func inBrowser(args func(*caller, factor.By) string) func(*caller) string {
	return func(w *caller) string {
		who, ctx := w.Member(w.t, viewer.Support)
		by := factor.By{Person: who.ID, Session: graphtest.AddSession(w.t, w.Resolver, who.ID)}
		v := *viewer.From(ctx)
		v.Session, v.ProvedAt = by.Session, micros.Now()
		w.browser, w.token = &v, ""
		return args(w, by)
	}
}

// factor sets up an authenticator app for the person.
func (w *caller) factor(by factor.By) *factor.Added {
	w.t.Helper()
	up := graphtest.Must[*factor.SetUp](w.t)(w.Factors.BeginTOTP(w.Ctx, by))
	return graphtest.Must[*factor.Added](w.t)(w.Factors.ConfirmTOTP(w.Ctx, by, up.Token, "",
		factortest.Code(w.t, up.Secret, time.Now())))
}
