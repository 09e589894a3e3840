package graph

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
	"github.com/storefront-go/storefront/graph/model"
)

func TestPreviewURL(t *testing.T) {
	eachCore(t, func(t *testing.T, ctx context.Context, r *Resolver) {
		s, id := must[*model.Store](t)(r.Query().Store(ctx)), xid.New()
		u := must[*url.URL](t)(url.Parse(r.previewURL(s.Store, id)))
		if u.Scheme != "https" || u.Host != s.Handle+".localhost" || u.Path != "/" {
			t.Errorf("the address is %s", u)
		}
		params, err := r.Links.Verify("/", u.RawQuery, micros.Now())
		if err != nil || params[PreviewTheme] != xid.Theme.Format(id) || params[PreviewStore] != xid.Store.Format(s.ID) {
			t.Errorf("signed %v, %v", params, err)
		}
	})
}

// TestPreviewURLLastsADay: the address is the same all day, UTC, and valid for a
// day at least and two at most.
func TestPreviewURLLastsADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newCore(t, storetest.Open(t))
		s, id := &db.Store{ID: xid.New(), Handle: "corner"}, xid.New()
		address := func() string { return r.previewURL(s, id) }
		first := address() // the fake clock begins at midnight, UTC
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
