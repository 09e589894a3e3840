package content_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/content"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// eachContent runs f on every engine with the operations of this package alone, as an owner.
func eachContent(t *testing.T, f func(t *testing.T, ctx context.Context, r *content.Resolver)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		ring := graphtest.Must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
		c := graphtest.Must[*core.Core](t)(core.New(core.Config{Store: s, Pages: page.New(ring), APIHost: graphtest.API,
			HostOf: func(handle string) string { return handle + ".localhost" }}))
		ctx, _ := storetest.Merchant(t, s)
		f(t, graphtest.As(ctx, viewer.Owner), content.New(c))
	})
}

func newPage(t testing.TB, ctx context.Context, r *content.Resolver, in model.PageCreateInput) *db.Page {
	t.Helper()
	return graphtest.Must[*model.PagePayload](t)((content.Mutation{Resolver: r}).PageCreate(ctx, in)).Page
}

func TestPageCreate(t *testing.T) {
	eachContent(t, func(t *testing.T, ctx context.Context, r *content.Resolver) {
		p := newPage(t, ctx, r, model.PageCreateInput{Title: "Über uns", Body: "We.", Kind: new(state.PageContact)})
		if p.Handle != "uber-uns" || p.Status != state.PageDraft || p.Version != 1 || p.PublishedAt != nil ||
			p.UpdatedAt != p.CreatedAt() || !strings.HasPrefix(p.PublicID(), "pag_") {
			t.Errorf("created %v", p)
		}
		read := graphtest.Must[*db.Page](t)(content.Query{Resolver: r}.Page(ctx, p.PublicID()))
		if read.String() != p.String() {
			t.Errorf("stored %v, returned %v", read, p)
		}
		twin := newPage(t, ctx, r, model.PageCreateInput{Title: "Über uns", Body: "We."})
		if want := "uber-uns-" + twin.PublicID()[len(twin.PublicID())-6:]; twin.Handle != want {
			t.Errorf("handle %q, want %q", twin.Handle, want)
		}
		for _, tc := range []struct {
			in   model.PageCreateInput
			want string
		}{
			{model.PageCreateInput{Title: " ", Body: "x"}, "#/title too_short"},
			{model.PageCreateInput{Title: "x", Body: ""}, "#/body too_short"},
			{model.PageCreateInput{Title: "x", Body: strings.Repeat("x", 65536)}, "#/body too_long"},
			{model.PageCreateInput{Title: "x", Body: strings.Repeat("> ", 30)}, "#/body too_long"},
			{model.PageCreateInput{Title: "x", Body: "x", Handle: new("A")}, "#/handle invalid_format"},
			{model.PageCreateInput{Title: "x", Body: "x", Handle: new("uber-uns")}, "#/handle taken"},
			{model.PageCreateInput{Title: "x", Body: "x", Kind: new(state.PageContact)}, "#/kind taken"},
			{model.PageCreateInput{Title: "x", Body: "x", SeoDescription: new(strings.Repeat("x", 321))},
				"#/seo_description too_long"},
		} {
			if _, err := (content.Mutation{Resolver: r}).PageCreate(ctx, tc.in); graphtest.FieldOf(err) != tc.want {
				t.Errorf("%v, want %s", err, tc.want)
			}
		}
		other, _ := storetest.Merchant(t, r.Store)
		other = graphtest.As(other, viewer.Owner)
		newPage(t, other, r, model.PageCreateInput{Title: "x", Body: "x", Handle: new("uber-uns"),
			Kind: new(state.PageContact)})
		if _, err := (content.Query{Resolver: r}).Page(other, p.PublicID()); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("another store's page: %v", err)
		}
		list := graphtest.Must[*model.PageConnection](t)((content.Query{Resolver: r}).Pages(ctx, new(1), nil))
		next := graphtest.Must[*model.PageConnection](t)((content.Query{Resolver: r}).Pages(ctx, new(1), &list.Next))
		if list.Nodes[0].ID != twin.ID || next.Nodes[0].ID != p.ID || next.Next != "" {
			t.Errorf("listed %v, then %v", list.Nodes, next.Nodes)
		}
	})
}

func TestPageChange(t *testing.T) {
	eachContent(t, func(t *testing.T, ctx context.Context, r *content.Resolver) {
		m := content.Mutation{Resolver: r}
		p := newPage(t, ctx, r, model.PageCreateInput{Title: "Imprint", Body: "We.", Kind: new(state.PageImprint)})
		newPage(t, ctx, r, model.PageCreateInput{Title: "Taken", Body: "x", Kind: new(state.PagePrivacy)})
		p = graphtest.Must[*model.PagePayload](t)(m.PageUpdate(ctx, p.PublicID(), 1, model.PageUpdateInput{
			Title: model.Some("Who we are"), Kind: graphtest.Given[*state.PageKind](nil), Body: model.Some("# We"),
			SeoDescription: model.Some("Us.")})).Page
		if p.Version != 2 || p.Title != "Who we are" || p.Kind != nil || p.Handle != "imprint" ||
			*p.SeoDescription != "Us." {
			t.Errorf("changed to %v", p)
		}
		for want, in := range map[string]model.PageUpdateInput{
			"#/handle taken":   {Handle: model.Some("taken")},
			"#/kind taken":     {Kind: model.Some(state.PagePrivacy)},
			"#/title required": {Title: graphtest.Given[*string](nil)},
			"#/body too_short": {Body: model.Some("\n")},
		} {
			if _, err := m.PageUpdate(ctx, p.PublicID(), 2, in); graphtest.FieldOf(err) != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		p = graphtest.Must[*model.PagePayload](t)(m.PagePublish(ctx, p.PublicID(), 2)).Page
		if p.Status != state.PagePublished || p.PublishedAt == nil || p.Version != 3 {
			t.Errorf("published %v", p)
		}
		if _, err := m.PageDelete(ctx, p.PublicID(), 2); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("stale: %v", err)
		}
		errs := make([]error, 6)
		var wait sync.WaitGroup
		for i := range errs {
			wait.Go(func() { _, errs[i] = m.PageUnpublish(ctx, p.PublicID(), 3) })
		}
		wait.Wait()
		won := slices.DeleteFunc(errs, func(err error) bool { return graphtest.FaultOf(err) == "version_mismatch" })
		if len(won) != 1 || won[0] != nil {
			t.Errorf("answers: %v, want one success", won)
		}
		graphtest.Must[*model.PageDeletePayload](t)(m.PageDelete(ctx, p.PublicID(), 4))
		if _, err := (content.Query{Resolver: r}).Page(ctx, p.PublicID()); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("afterwards: %v", err)
		}
	})
}

func TestPagePreview(t *testing.T) {
	eachContent(t, func(t *testing.T, ctx context.Context, r *content.Resolver) {
		got, err := (content.Query{Resolver: r}).PagePreview(ctx, "# A\n\n<b>[x](javascript:y)")
		if got != "<h2>A</h2>\n<p>&lt;b&gt;x</p>\n" || err != nil {
			t.Errorf("%q %v", got, err)
		}
		if got, err := (content.Query{Resolver: r}).PagePreview(ctx, ""); got != "" || err != nil {
			t.Errorf("empty body: %q %v", got, err)
		}
	})
}

func TestMenus(t *testing.T) {
	eachContent(t, func(t *testing.T, ctx context.Context, r *content.Resolver) {
		m := content.Mutation{Resolver: r}
		before := graphtest.Must[*model.Menus](t)((content.Query{Resolver: r}).Menus(ctx))
		if before.Version != 0 || before.Main != nil || before.Footer != nil {
			t.Errorf("at first %+v", before)
		}
		home := &document.MenuLink{Title: "Home", Target: state.TargetHome}
		id, address := xid.Page.Format(xid.New()), "/search?q=mugs"
		set := document.MenusFields{Main: []*document.MenuLink{home, {Title: "Us", Target: state.TargetPage,
			ResourceID: &id, Children: []*document.MenuLink{
				{Title: "Mugs", Target: state.TargetAddress, Address: &address}}}}}
		graphtest.Must[*model.MenusPayload](t)(m.MenusSet(ctx, 0, set))
		got := graphtest.Must[*model.Menus](t)((content.Query{Resolver: r}).Menus(ctx))
		if got.Version != 1 || len(got.Main) != 2 || *got.Main[1].Children[0].Address != address || got.Footer != nil {
			t.Errorf("set %+v", got)
		}
		if _, err := m.MenusSet(ctx, 0, set); graphtest.FaultOf(err) != "version_mismatch" {
			t.Errorf("stale: %v", err)
		}
		graphtest.Must[*model.MenusPayload](t)(m.MenusSet(ctx, 1, document.MenusFields{Footer: []*document.MenuLink{}}))
		got = graphtest.Must[*model.Menus](t)((content.Query{Resolver: r}).Menus(ctx))
		if got.Version != 2 || got.Main != nil || got.Footer == nil || len(got.Footer) != 0 {
			t.Errorf("emptied %+v", got)
		}
		deep := &document.MenuLink{Title: "x", Target: state.TargetHome, Children: []*document.MenuLink{
			{Title: "y", Target: state.TargetHome, Children: []*document.MenuLink{home}}}}
		to := func(address string) *document.MenuLink {
			return &document.MenuLink{Title: "x", Target: state.TargetAddress, Address: &address}
		}
		const atHome = state.TargetHome
		for _, tc := range []struct {
			link *document.MenuLink
			want string
		}{
			{&document.MenuLink{Title: "", Target: atHome}, "#/main/0/title too_short"},
			{&document.MenuLink{Title: "x", Target: state.TargetPage}, "#/main/0/resource_id required"},
			{&document.MenuLink{Title: "x", Target: state.TargetProduct, ResourceID: &id},
				"#/main/0/resource_id invalid_format"},
			{&document.MenuLink{Title: "x", Target: atHome, ResourceID: &id}, "#/main/0/resource_id unknown_member"},
			{&document.MenuLink{Title: "x", Target: atHome, Address: &address}, "#/main/0/address unknown_member"},
			{&document.MenuLink{Title: "x", Target: state.TargetAddress}, "#/main/0/address required"},
			{to("javascript:alert(1)"), "#/main/0/address invalid_format"},
			{to("//evil.test"), "#/main/0/address invalid_format"},
			{to(`/\evil.test`), "#/main/0/address invalid_format"},
			{to("http://a.test/"), "#/main/0/address invalid_format"},
			{to("/a b"), "#/main/0/address invalid_format"},
			{deep, "#/main/0/children/0/children out_of_range"},
		} {
			_, err := m.MenusSet(ctx, 2, document.MenusFields{Main: []*document.MenuLink{tc.link}})
			if graphtest.FieldOf(err) != tc.want {
				t.Errorf("%+v: %v, want %s", tc.link, err, tc.want)
			}
		}
		if _, err := m.MenusSet(ctx, 2, document.MenusFields{Footer: slices.Repeat([]*document.MenuLink{home},
			31)}); graphtest.FieldOf(err) != "#/footer too_long" {
			t.Errorf("31 links: %v", err)
		}
	})
}

// Of two concurrent first settings of the menus, one succeeds.
func TestMenusRace(t *testing.T) {
	eachContent(t, func(t *testing.T, ctx context.Context, r *content.Resolver) {
		errs := make([]error, 6)
		var wait sync.WaitGroup
		for i := range errs {
			wait.Go(func() { _, errs[i] = (content.Mutation{Resolver: r}).MenusSet(ctx, 0, document.MenusFields{}) })
		}
		wait.Wait()
		won := slices.DeleteFunc(errs, func(err error) bool { return graphtest.FaultOf(err) == "version_mismatch" })
		if len(won) != 1 || won[0] != nil {
			t.Errorf("answers: %v, want one success", won)
		}
	})
}
