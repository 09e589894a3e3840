package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/link"
)

// DispatchConfig is the settings of dispatch.
type DispatchConfig struct {
	Storage   `embed:""`
	Naming    `embed:""`
	Mail      `embed:""`
	Log       `embed:""`
	Delivery  `embed:""`
	AdminAddr string `default:"127.0.0.1:8082" env:"STOREFRONT_ADMIN_ADDR" placeholder:"HOST:PORT" help:"Address of health, metrics and profiles; keep it private (default ${default})."`

	AdminNames `embed:""`
}

// Check returns every error of the settings, in one line.
func (c DispatchConfig) Check() error {
	_, err := c.egress(false)
	return oneLine(checkAddr("--admin-addr", c.AdminAddr), c.Naming.Check(), c.Mail.check(), err, c.Storage.Check())
}

// LogValue implements slog.LogValuer: every setting, without its secrets.
func (c DispatchConfig) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("data", c.Data),
		slog.String("admin_addr", c.AdminAddr),
		slog.String("admin_host", strings.Join(c.AdminHosts, ",")),
		slog.String("public_url", c.PublicURL),
		slog.String("smtp_server", c.Mail.redacted()),
		slog.Bool("allow_loopback_webhooks", c.AllowLoopbackWebhooks),
		slog.String("allow_webhooks_to", strings.Join(c.AllowWebhooksTo, ",")),
		slog.String("suspend_webhooks_on", c.SuspendOn),
	)
}

// RunDispatch delivers webhooks until ctx ends, then drains. It calls announce once it has started.
func RunDispatch(ctx context.Context, c DispatchConfig, r Runtime, announce func(*Server) error) error {
	s, err := startDispatch(ctx, c, r)
	if err != nil {
		return err
	}
	return s.run(ctx, announce)
}

// startDispatch is [Start] for a process that only delivers.
func startDispatch(ctx context.Context, c DispatchConfig, r Runtime) (*Server, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	r.Logger.InfoContext(ctx, "starting to dispatch", "version", r.Build.Version, "settings", c)
	o := Opening{Storage: c.Storage, WaitFor: patience, Logger: r.Logger}
	return start(ctx, o, func(s *Server) error { return s.listenToDispatch(ctx, c, r) })
}

func (s *Server) listenToDispatch(ctx context.Context, c DispatchConfig, r Runtime) error {
	operator, err := s.bind(ctx, c.AdminAddr, "--admin-addr")
	if err != nil {
		return err
	}
	s.Addresses = c.Naming.addresses(usualAddr, operator.Addr().String(), false)
	if s.base.Notifier, err = c.Mail.notifier(s.API, link.New(s.base.Ring)); err != nil {
		return err
	}
	if s.hooks, err = s.base.Engine(c.Delivery, false, false, r.Logger); err != nil {
		return err
	}
	reg, err := newRegistry(s.base.Store, r.Build, func() uint64 { return 0 })
	if err != nil {
		return err
	}
	if err := errors.Join(s.hooks.Register(reg), s.newSender(c.Mail, reg)); err != nil {
		return err
	}
	s.admin = &admin{store: s.base.Store, hosts: c.AdminHosts, impaired: s.hooks.SenderTrouble, delivers: true}
	s.serve(s.server(ctx, s.admin.handler(reg), 0), operator, "admin")
	if err := s.join(ctx, state.ProcessDispatcher, r.Build); err != nil {
		return err
	}
	return s.background(ctx, s.dispatchLoops(), s.hooks)
}
