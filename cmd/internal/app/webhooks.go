package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/erase"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

// Delivery configures where webhooks may go and when an endpoint is suspended.
type Delivery struct {
	AllowLoopbackWebhooks bool     `env:"STOREFRONT_ALLOW_LOOPBACK_WEBHOOKS" help:"Allow webhooks to 127.0.0.0/8, [::1] and localhost, over http or https. --demo does so too."`
	AllowWebhooksTo       []string `env:"STOREFRONT_ALLOW_WEBHOOKS_TO" placeholder:"CIDR" help:"Private networks that webhooks may reach, over https (default none)."`
	SuspendOn             string   `name:"suspend-webhooks-on" enum:"delivery,silence" default:"delivery" env:"STOREFRONT_SUSPEND_WEBHOOKS_ON" placeholder:"RULE" help:"Suspend an endpoint when one delivery has failed for 24 hours (delivery), or when none has succeeded for 24 hours (silence) (default ${default})."`
}

func (c Delivery) egress(demo bool) (egress.Policy, error) {
	p := egress.Policy{AllowLoopback: c.AllowLoopbackWebhooks || demo}
	for _, text := range c.AllowWebhooksTo {
		network, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return p, fmt.Errorf("--allow-webhooks-to: %q is not a network such as 10.0.0.0/8", text)
		}
		p.AllowTo = append(p.AllowTo, network.Masked())
	}
	return p, nil
}

// Engine creates the webhooks engine of this process without starting it, and the engine that
// redacts customers from deliveries. serves says that the process also answers requests.
func (b *Base) Engine(c Delivery, demo, serves bool, log *slog.Logger) (*webhook.Engine, error) {
	policy, err := c.egress(demo)
	if err != nil {
		return nil, err
	}
	b.Erasures = erase.New(erase.Config{Store: b.Store, Notifier: b.Notifier, Logger: log})
	return webhook.New(webhook.Config{
		Store: b.Store, Process: b.Process, Vault: webhook.NewVault(b.Ring), Egress: policy, Notifier: b.Notifier,
		RedactEvent:      b.Erasures.RedactEvent,
		Serves:           serves,
		SuspendOnSilence: c.SuspendOn == "silence", Logger: log,
		AppScopes: func(ctx context.Context, store, appStore, app xid.ID) (scope.Set, error) {
			ctx = viewer.Operator(ctx, store)
			return oauth.AppScopes(ctx, b.Store.DB(ctx), appStore, app)
		},
	})
}
