package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/fleet"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/engine/requestlog"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/engine/work"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/vies"
	"github.com/storefront-go/storefront/rest"
)

// Limits of the HTTP servers. An answer may take longer than any request of the API: claiming an
// idempotency key waits up to 5 s, and a transaction takes up to 15 s.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// DrainTimeout is how long running requests may take after the program was asked to stop.
const DrainTimeout = 15 * time.Second

// Runtime is what the process provides besides its settings.
type Runtime struct {
	Logger *slog.Logger
	// Getenv reads the environment variables of OpenTelemetry.
	Getenv func(string) string
	Build  Build
	// Defaults holds the settings without flags and variables. If set, the first log line names only
	// settings that differ, for a person who reads along.
	Defaults *Config
}

// Check returns every error of the OpenTelemetry variables.
func (r Runtime) Check() error {
	_, err := tracesAsked(r.Getenv)
	return err
}

// Server is a running program.
type Server struct {
	Addresses
	Demo *demo.File
	// Empty says that there was no store when the server started.
	Empty bool

	log      *slog.Logger
	base     *Base
	fleet    *fleet.Member
	oauth    *oauth.Server
	hooks    *webhook.Engine
	core     *graph.Resolver
	requests *requestlog.Log
	words    *search.Keeper
	sender   *notify.Sender // nil without a mail server
	admin    *admin
	public   *http.Server
	closer   stack
	failed   chan error
}

// Start opens the database, listens and serves. When it returns, requests are answered; after an
// error nothing is left running. The end of ctx does not stop the server: [Server.Shutdown] does.
func Start(ctx context.Context, c Config, r Runtime) (*Server, error) {
	if err := cmp.Or(c.Check(), r.Check()); err != nil {
		return nil, err
	}
	r.Logger.InfoContext(ctx, "starting", "version", r.Build.Version, "settings", c.Summary(r.Defaults))
	o := Opening{Storage: c.Storage, Limits: c.Limits, Migrate: c.Migrate, Relaxed: c.Demo, WaitFor: patience,
		Logger: r.Logger}
	return start(ctx, o, func(s *Server) error {
		if err := s.base.refuseDemo(ctx, c); err != nil {
			return err
		}
		return s.listen(ctx, c, r)
	})
}

// start opens the database and calls listen. After an error nothing is left running.
func start(ctx context.Context, o Opening, listen func(*Server) error) (*Server, error) {
	s := &Server{log: o.Logger, failed: make(chan error, 2)}
	var err error
	if s.base, err = Open(ctx, o); err != nil {
		return nil, err
	}
	s.closer.push("close the database", func(context.Context) error { return s.base.Close() })
	if err := listen(s); err != nil {
		return nil, errors.Join(err, s.closer.run(context.WithoutCancel(ctx)))
	}
	s.admin.phase.Store(serving)
	return s, nil
}

// listen opens both addresses and serves. Early clients wait in the listener's queue.
func (s *Server) listen(ctx context.Context, c Config, r Runtime) error {
	public, err := s.bind(ctx, c.Addr, "--addr")
	if err != nil {
		return err
	}
	operator, err := s.bind(ctx, c.AdminAddr, "--admin-addr")
	if err != nil {
		return err
	}
	certificate, err := loadCertificate(c)
	if err != nil {
		return err
	}
	s.Addresses = c.Naming.addresses(public.Addr().String(), operator.Addr().String(), certificate != nil)
	if s.base.Notifier, err = c.Mail.notifier(s.API, link.New(s.base.Ring)); err != nil {
		return err
	}
	if s.hooks, err = s.base.Engine(c.Delivery, c.Demo, true, r.Logger); err != nil {
		return err
	}
	s.base.Domains, s.base.ServiceMail = c.Domains, c.Mail.own()
	if c.VIES {
		s.base.VIES = &vies.Client{Base: vies.Service}
	}
	core, err := s.base.Core(s.Addresses, s.hooks, c.Marketplace, r.Logger)
	if err != nil {
		return err
	}
	core.TestPayments = c.Demo
	s.core, s.requests, s.words = core, requestlog.New(s.base.Store), search.NewKeeper(s.base.Store)
	if err := core.Themes.Seed(ctx); err != nil {
		// The API can serve without the blob store; a loop tries again.
		r.Logger.ErrorContext(ctx, "the sample themes could not be installed", "error", err)
	}
	reg, err := s.measured(r.Build, core)
	if err != nil {
		return err
	}
	if err := s.newSender(c.Mail, reg); err != nil {
		return err
	}
	s.admin = &admin{store: s.base.Store, hosts: c.AdminHosts, impaired: s.hooks.SenderTrouble,
		domainOf: core.Domains.HandleOf}
	// Answers have no time limit: a profile takes as long as requested.
	s.serve(s.server(ctx, s.admin.handler(reg), 0), operator, "admin")
	if c.Demo {
		if s.Demo, err = s.prepareDemo(ctx, c, core); err != nil {
			return err
		}
	}
	if s.Empty, err = s.base.empty(ctx); err != nil {
		return err
	}
	if c.HTTPAddr != "" {
		plain, err := s.bind(ctx, c.HTTPAddr, "--http-addr")
		if err != nil {
			return err
		}
		s.serve(s.server(ctx, core.Domains.Plain(), writeTimeout), plain, "plain")
	}
	return s.answer(ctx, c, r, core, reg, secured(public, certificate, core.Domains.Certificate))
}

func (s *Server) answer(ctx context.Context, c Config, r Runtime, core *graph.Resolver, reg *prometheus.Registry,
	public net.Listener,
) error {
	claims := idem.New(s.base.Store, s.base.Ring)
	handler, err := s.handler(ctx, c, r, core, claims, reg)
	if err != nil {
		return err
	}
	// Read the revocations of other processes before serving.
	if err := s.base.Keys.Watch(ctx); err != nil {
		return err
	}
	if err := s.join(ctx, state.ProcessServer, r.Build); err != nil {
		return err
	}
	s.closer.push("write last use", s.base.Keys.WriteUsed)
	s.closer.push("write the log of requests", s.requests.Flush)
	engines := []work.Service{core.Exports}
	if !c.NoDispatch {
		engines = []work.Service{s.hooks, core.Exports}
	}
	if err := s.background(ctx, s.newLoops(claims), engines...); err != nil {
		return err
	}
	s.public = s.server(ctx, handler, writeTimeout)
	s.serve(s.public, public, "public")
	return nil
}

func (s *Server) measured(b Build, core *graph.Resolver) (*prometheus.Registry, error) {
	reg, err := newRegistry(s.base.Store, b, core.RejectedCursors)
	if err != nil {
		return nil, err
	}
	for _, c := range signIns(s.base.Sessions.Counts) {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	panics := counter("storefront_theme_panics_total", "Panics in the processing of themes.", core.Themes.Panics)
	return reg, errors.Join(s.hooks.Register(reg), core.Exports.Register(reg), core.Images.Register(reg),
		s.requests.Register(reg), reg.Register(panics))
}

func (s *Server) bind(ctx context.Context, addr, flag string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s (another address: %s): %w", addr, flag, err)
	}
	s.closer.push("close listener", func(context.Context) error {
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	return l, nil
}

// server returns an HTTP server whose requests outlive ctx: a signal lets them finish.
func (s *Server) server(ctx context.Context, h http.Handler, write time.Duration) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      write,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ConnContext:       rest.WithConn,
		ErrorLog:          serverLog(s.log),
	}
}

func (s *Server) serve(h *http.Server, l net.Listener, name string) {
	s.closer.push("stop "+name+" server", func(ctx context.Context) error {
		if err := h.Shutdown(ctx); err != nil {
			return errors.Join(err, h.Close())
		}
		return nil
	})
	go func() {
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("%s server: %w", name, err)
		}
	}()
}
