package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/egress"
	"github.com/storefront-go/storefront/graph/lib/keyring"
	"github.com/storefront-go/storefront/graph/model"
)

// limited adds one to the count of a limit.
type limited struct {
	// unit is how much each call counts; 0 means 1.
	unit int64
	add  func() error
}

// invites invites a different person at each call.
func invites(_ *testing.T, p *graphtest.Shop) limited {
	return limited{add: func() error {
		_, err := p.Mutation().StaffInvite(p.Ctx,
			model.StaffInviteInput{Email: xid.New().String() + "@example.com", Role: viewer.Support})
		return err
	}}
}

func exports(_ *testing.T, p *graphtest.Shop) limited {
	return limited{add: func() error {
		_, err := p.Mutation().ExportStart(p.Ctx, graphtest.ExportOf(state.ExportProducts))
		return err
	}}
}

// duplicates adds copies of a theme of equal size.
func duplicates(t *testing.T, p *graphtest.Shop) (limited, int64) {
	first := p.ImportTheme(t, "Linen")
	return limited{add: func() error {
		_, err := p.Mutation().ThemeDuplicate(p.Ctx, first.PublicID(), nil)
		return err
	}}, first.SizeBytes
}

// limits has an entry for each limit that refuses an excess. Limits with nil behave differently;
// the comment names the package with their test.
var limits = map[limit.Name]func(*testing.T, *graphtest.Shop) limited{
	limit.People: func(_ *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Hire(p.Ctx, access.Person{Email: xid.New().String() + "@example.com", Name: "Max"},
				viewer.Support)
			return err
		}}
	},
	limit.Invitations: invites,
	limit.MailsPerDay: func(t *testing.T, p *graphtest.Shop) limited {
		p.Notifier = graphtest.Must[*notify.Notifier](t)(notify.New(p.APIHost))
		p.Use(p.Engines)
		return invites(t, p)
	},
	limit.APIKeys: func(_ *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().APIKeyCreate(p.Ctx,
				model.APIKeyCreateInput{Name: "x", Scopes: []string{scope.OrdersRead}})
			return err
		}}
	},
	limit.Apps: func(_ *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().AppCreate(p.Ctx, graphtest.Bridge())
			return err
		}}
	},
	limit.Endpoints: func(_ *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().WebhookEndpointCreate(p.Ctx,
				model.WebhookEndpointCreateInput{URL: "https://sync.example/", Events: []string{"order.paid"}})
			return err
		}}
	},
	limit.PingsPerMinute: func(t *testing.T, p *graphtest.Shop) limited {
		ring := graphtest.Must[*keyring.Ring](t)(keyring.Parse(strings.Repeat("k", 32)))
		p.Webhooks = graphtest.Must[*webhook.Engine](t)(webhook.New(webhook.Config{Store: p.Store,
			Vault: webhook.NewVault(ring), Egress: egress.Policy{AllowLoopback: true}}))
		p.Use(p.Engines)
		e := graphtest.Must[*model.WebhookEndpointPayload](t)(p.Mutation().WebhookEndpointCreate(p.Ctx,
			model.WebhookEndpointCreateInput{URL: "http://127.0.0.1:1/", Events: []string{"order.paid"}}))
		p.Limits[limit.PingsPerMinute] = 6 // the first expires after 10 s, not at once
		return limited{add: func() error {
			_, err := p.Mutation().WebhookEndpointTest(p.Ctx, e.WebhookEndpoint.PublicID())
			return err
		}}
	},
	limit.Themes: func(t *testing.T, p *graphtest.Shop) limited {
		l, _ := duplicates(t, p)
		return l
	},
	limit.ThemeBytes: func(t *testing.T, p *graphtest.Shop) limited {
		l, size := duplicates(t, p)
		l.unit = size
		return l
	},
	limit.Pages: func(_ *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().PageCreate(p.Ctx, model.PageCreateInput{Title: "Page", Body: "x"})
			return err
		}}
	},
	limit.ShippingZones: func(_ *testing.T, p *graphtest.Shop) limited {
		rest := []string{"DE", "FR", "AT", "CH", "IT", "ES", "NL", "BE", "DK", "SE", "NO", "FI"}
		return limited{add: func() error {
			_, err := p.Mutation().ShippingZoneCreate(p.Ctx,
				model.ShippingZoneInput{Name: "Zone", Countries: rest[:1]})
			if err == nil {
				rest = rest[1:]
			}
			return err
		}}
	},
	limit.Discounts: func(_ *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().DiscountCreate(p.Ctx,
				model.DiscountInput{Code: xid.New().String(), Kind: state.DiscountFreeShipping})
			return err
		}}
	},
	limit.Collections: func(_ *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().CollectionCreate(p.Ctx,
				model.CollectionInput{Title: "List", Sort: state.SortManual})
			return err
		}}
	},
	limit.Exports:       exports,
	limit.ExportsPerDay: exports,
	limit.Stores: func(_ *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().StoreCreate(p.As(p.Owner.ID, viewer.Owner),
				model.StoreCreateInput{Name: "X", Currency: "EUR", Timezone: "UTC"})
			return err
		}}
	},
	limit.Products: func(t *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().ProductCreate(p.Ctx,
				model.ProductCreateInput{Title: "Mug", PriceMinor: 1, Currency: "EUR"})
			return err
		}}
	},
	limit.StoreVariants: func(t *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().ProductCreate(p.Ctx, model.ProductCreateInput{Title: "Shirt", PriceMinor: 1,
				Currency: "EUR", Options: []*document.Option{{Name: "Size", Values: []string{"S"}}},
				Variants: []*model.ProductVariantInput{{Options: []string{"S"}}}})
			return err
		}}
	},
	limit.Customers: func(t *testing.T, p *graphtest.Shop) limited {
		return limited{add: func() error {
			_, err := p.Mutation().CustomerCreate(p.Ctx,
				model.CustomerCreateInput{Status: state.CustomerGuest,
					EmailMarketing: state.EmailNotSubscribed, Email: new(xid.New().String() + "@example.com")})
			return err
		}}
	},
	limit.WrittenBytes:        nil, // rest
	limit.StoredBytes:         nil, // graph/core
	limit.UnpaidPieces:        nil, // graph/domain/cart
	limit.ImageMegapixels:     nil, // graph/domain/catalog
	limit.PictureBytes:        nil, // the excess is not served: graph/engine/images
	limit.ExportsRunning:      nil, // the excess waits: graph/engine/export
	limit.Factors:             nil, // graph/engine/factor
	limit.ReportOrders:        nil, // graph/domain/report
	limit.OrderMailsPerDay:    nil, // the excess is withheld: graph/engine/notify
	limit.NewStoreMailsPerDay: nil, // likewise
	limit.NewStoreDays:        nil, // counts nothing
}

// reached reports whether err names the limit, for programs and for people.
func reached(err error, name limit.Name) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Name() == "limit_reached" && f.Limit == string(name) && strings.Contains(f.Detail, string(name))
}

// Each limit, whether of all stores or a store's own, refuses the excess and names itself. A limit
// below the present count refuses only additions, and raising it by one admits one more.
func TestLimits(t *testing.T) {
	for _, row := range limit.Rows() {
		begin, ok := limits[row.Name]
		switch {
		case row.Flag != "": // a rate
			continue
		case !ok:
			t.Errorf("%s has no test", row.Name)
		}
		if begin == nil {
			continue
		}
		t.Run(string(row.Name), func(t *testing.T) {
			graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
				bounded(t, row.Name, begin(t, p), func(n int64) { p.Limits[row.Name] = n })
			})
		})
		if row.Whole {
			continue
		}
		t.Run("own "+string(row.Name), func(t *testing.T) {
			graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
				p.Limits[row.Name] = row.Greatest
				bounded(t, row.Name, begin(t, p), func(n int64) { own(t, p.Ctx, p, row.Name, n) })
			})
		})
	}
}

// own sets the store's own limit.
func own(t *testing.T, ctx context.Context, p *graphtest.Shop, name limit.Name, n int64) {
	t.Helper()
	s := graphtest.Must[*model.Store](t)(p.Query().Store(ctx))
	graphtest.Must[*model.StorePayload](t)(p.Mutation().StoreSetLimits(ctx, s.Version,
		[]string{fmt.Sprintf("%s=%d", name, n)}))
}

func bounded(t *testing.T, name limit.Name, l limited, set func(n int64)) {
	if err := l.add(); err != nil {
		t.Fatal(err)
	}
	unit := max(l.unit, 1)
	set(1)
	if err := l.add(); !reached(err, name) {
		t.Errorf("limit below the count: %v", err)
	}
	n := unit
	for set(n); l.add() != nil; set(n) {
		if n += unit; n > 20*unit {
			t.Fatal("nothing is admitted after the limit was raised")
		}
	}
	if err := l.add(); !reached(err, name) {
		t.Errorf("one more than %d: %v", n, err)
	}
	set(n + unit)
	if err := l.add(); err != nil {
		t.Errorf("at %d: %v", n+unit, err)
	}
}
