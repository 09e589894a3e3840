package merchant_test

import (
	"context"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// Each member is set and removed alone, and wrong values are refused by their name.
func TestStorefrontUpdate(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		now, before := micros.Now(), micros.Now()-1
		update := func(edit func(*model.StorefrontUpdateInput)) (*model.Store, error) {
			s := graphtest.Must[*model.Store](t)(p.Query().Store(p.Ctx))
			in := model.StorefrontUpdateInput{ExpectedVersion: s.Version}
			edit(&in)
			done, err := p.Mutation().StorefrontUpdate(p.Ctx, in)
			if err != nil {
				return nil, err
			}
			return done.Store, nil
		}
		announce := func(a document.Announcement) func(*model.StorefrontUpdateInput) {
			return func(in *model.StorefrontUpdateInput) { in.Announcement = graphql.OmittableOf(&a) }
		}
		for want, edit := range map[string]func(*model.StorefrontUpdateInput){
			"announcement/text":  announce(document.Announcement{}),
			"announcement/link":  announce(document.Announcement{Text: "Sale", Link: new("javascript:alert(1)")}),
			"announcement/until": announce(document.Announcement{Text: "Sale", From: &now, Until: &before}),
			"pause/message": func(in *model.StorefrontUpdateInput) {
				in.Pause = graphql.OmittableOf(&document.Pause{Message: strings.Repeat("x", 301)})
			},
			"password": func(in *model.StorefrontUpdateInput) { in.Password = graphql.OmittableOf(new("")) },
		} {
			if _, err := update(edit); err == nil || !strings.Contains(graphtest.FieldOf(err), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
		set := graphtest.Must[*model.Store](t)(update(announce(document.Announcement{Text: "Sale", From: &now})))
		if a := set.Announcement; a == nil || a.Text != "Sale" || *a.From != now || a.Enabled {
			t.Errorf("announced: %+v", a)
		}
		set = graphtest.Must[*model.Store](t)(update(func(in *model.StorefrontUpdateInput) {
			in.Password = graphql.OmittableOf(new("green tea"))
			in.Pause = graphql.OmittableOf(&document.Pause{Message: "Holidays"})
		}))
		if !set.PasswordProtected || set.Pause == nil || set.Announcement == nil ||
			strings.Contains(string(set.Storefront), "green tea") {
			t.Errorf("closed: %+v, %s", set.Pause, set.Storefront)
		}
		set = graphtest.Must[*model.Store](t)(update(func(in *model.StorefrontUpdateInput) {
			in.Password, in.Pause = graphql.OmittableOf[*string](nil), graphql.OmittableOf[*document.Pause](nil)
		}))
		if set.PasswordProtected || set.Pause != nil || set.Announcement == nil {
			t.Errorf("open again: %+v, %+v", set.Pause, set.Announcement)
		}
	})
}

// A program of the previous release would sell in a pause, so there is none before the upgrade is
// finished.
func TestPauseNeedsFormat(t *testing.T) {
	graphtest.EachPrevious(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s := graphtest.Must[*model.Store](t)(r.Query().Store(ctx))
		_, err := r.Mutation().StorefrontUpdate(ctx, model.StorefrontUpdateInput{ExpectedVersion: s.Version,
			Pause: graphql.OmittableOf(&document.Pause{Message: "Holidays"})})
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("a pause: %v", err)
		}
	})
}
