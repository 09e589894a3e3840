package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/storefront-go/storefront/ent/state"
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
	return oneLine(append(present(checkAddr("--admin-addr", c.AdminAddr), c.Naming.Check(), c.Mail.check(), err),
		c.Storage.faults()...))
}

// present returns the errors that are not nil.
func present(list ...error) (found []error) {
	for _, err := range list {
		if err != nil {
			found = append(found, err)
		}
	}
	return found
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
func startDispatch(ctx context.Context, c DispatchConfig, r Runtime) (_ *Server, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	r.Logger.InfoContext(ctx, "starting to dispatch", "version", r.Build.Version, "settings", c)
	s := &Server{log: r.Logger, failed: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closer.run(context.WithoutCancel(ctx)))
		}
	}()
	if s.base, err = Open(ctx, Opening{Storage: c.Storage, WaitFor: patience, Logger: r.Logger}); err != nil {
		return nil, err
	}
	s.closer.push("close the database", func(context.Context) error { return s.base.Close() })
	operator, err := s.bind(ctx, c.AdminAddr, "--admin-addr")
	if err != nil {
		return nil, err
	}
	s.Addresses = c.Naming.addresses(text("127.0.0.1:8080"), operator.Addr(), false)
	if s.base.Notifier, err = c.Mail.notifier(s.API); err != nil {
		return nil, err
	}
	if s.hooks, err = s.base.Engine(c.Delivery, false, false, r.Logger); err != nil {
		return nil, err
	}
	reg, err := newRegistry(s.base.Store, r.Build, func() uint64 { return 0 })
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.hooks.Register(reg), s.newSender(c.Mail, reg)); err != nil {
		return nil, err
	}
	s.admin = &admin{store: s.base.Store, hosts: c.AdminHosts, impaired: s.hooks.SenderTrouble, delivers: true}
	s.serve(s.server(ctx, s.admin.handler(reg), 0), operator, "admin")
	if err := s.join(ctx, state.ProcessDispatcher, r.Build); err != nil {
		return nil, err
	}
	if err := s.background(ctx, s.dispatchLoops(), s.hooks); err != nil {
		return nil, err
	}
	s.admin.phase.Store(serving)
	return s, nil
}
