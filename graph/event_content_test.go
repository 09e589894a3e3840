package graph_test

import (
	"fmt"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// onPage returns arguments for a page, published or not.
func onPage(published bool, more ...string) func(*caller) string {
	return func(w *caller) string {
		p := graphtest.Must[*model.PagePayload](w.t)(w.Mutation().PageCreate(w.Ctx,
			model.PageCreateInput{Title: "Journal", Body: "x"})).Page
		if published {
			p = graphtest.Must[*model.PagePayload](w.t)(w.Mutation().PagePublish(w.Ctx, p.PublicID(), p.Version)).Page
		}
		return at(p.PublicID(), p.Version, more...)
	}
}

// contentEffects covers the mutations of pages and menus, which emit no events.
var contentEffects = []effect{
	{field: "pageCreate", name: "a draft", args: fixedArgs(`input: {title: "About", body: "We.", kind: CONTACT}`)},
	{field: "pageCreate", name: "a second of its kind", args: fixedArgs(`input: {title: "Us", body: "We.", kind: CONTACT}`),
		refused: "taken"},
	{field: "pageUpdate", name: "its text", args: onPage(false, `input: {body: "# We"}`)},
	{field: "pageUpdate", name: "a blank one", args: onPage(false, `input: {body: " "}`), refused: "too_short"},
	{field: "pagePublish", name: "a draft", args: onPage(false)},
	{field: "pagePublish", name: "again", args: onPage(true), refused: "invalid_transition"},
	{field: "pageUnpublish", name: "a published one", args: onPage(true)},
	{field: "pageUnpublish", name: "a draft", args: onPage(false), refused: "invalid_transition"},
	{field: "pageDelete", name: "a published one", args: onPage(true)},
	{field: "menusSet", name: "links", args: func(w *caller) string {
		m := graphtest.Must[*model.Menus](w.t)(w.Query().Menus(w.Ctx))
		return fmt.Sprintf("expectedVersion: %d, input: {footer: [], main: [{title: \"Home\", target: HOME, "+
			"children: [{title: \"Blog\", target: ADDRESS, address: \"https://blog.test/\"}]}]}", m.Version)
	}},
	{field: "menusSet", name: "a stale version", args: func(w *caller) string {
		m := graphtest.Must[*model.Menus](w.t)(w.Query().Menus(w.Ctx))
		graphtest.Must[*model.MenusPayload](w.t)(w.Mutation().MenusSet(w.Ctx, m.Version, document.MenusFields{
			Main: []*document.MenuLink{{Title: "Home", Target: state.TargetHome}}}))
		return fmt.Sprintf("expectedVersion: %d, input: {}", m.Version)
	}, refused: "version_mismatch"},
}
