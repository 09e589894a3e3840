package appearance_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/domain/appearance"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestPreviewURL(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		s, id := graphtest.Must[*model.Store](t)(r.Query().Store(ctx)), xid.New()
		u := graphtest.Must[*url.URL](t)(url.Parse(r.PreviewURL(s.Store, id)))
		if u.Scheme != "https" || u.Host != s.Handle+".localhost" || u.Path != "/" {
			t.Errorf("the address is %s", u)
		}
		params, err := r.Links.Verify("/", u.RawQuery, micros.Now())
		if err != nil || params[appearance.PreviewTheme] != xid.Theme.Format(id) ||
			params[appearance.PreviewStore] != xid.Store.Format(s.ID) {
			t.Errorf("signed %v, %v", params, err)
		}
	})
}

// TestPreviewURLLastsADay: the URL is constant for a day, UTC, and valid for at least one day and
// at most two.
func TestPreviewURLLastsADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := graphtest.NewCore(t, storetest.Open(t))
		s, id := &db.Store{ID: xid.New(), Handle: "corner"}, xid.New()
		address := func() string { return r.PreviewURL(s, id) }
		first := address() // the fake clock starts at midnight, UTC
		_, query, _ := strings.Cut(first, "?")
		for _, step := range []struct {
			wait time.Duration
			same bool
		}{
			{0, true}, {24*time.Hour - time.Second, true}, {time.Second, false}, {24*time.Hour - time.Second, false},
		} {
			time.Sleep(step.wait)
			if same := address() == first; same != step.same {
				t.Errorf("after %s the address is the same: %t", step.wait, same)
			}
			if _, err := r.Links.Verify("/", query, micros.Now()); err != nil {
				t.Errorf("after %s: %v", step.wait, err)
			}
		}
		time.Sleep(time.Second)
		if _, err := r.Links.Verify("/", query, micros.Now()); err == nil {
			t.Error("the address is valid for more than two days")
		}
	})
}
