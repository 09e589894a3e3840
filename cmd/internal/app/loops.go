package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/domain"
	"github.com/storefront-go/storefront/graph/engine/fleet"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/engine/outbox"
	"github.com/storefront-go/storefront/graph/engine/requestlog"
	"github.com/storefront-go/storefront/graph/engine/rollup"
	"github.com/storefront-go/storefront/graph/engine/session"
	"github.com/storefront-go/storefront/graph/engine/task"
	"github.com/storefront-go/storefront/graph/engine/work"
	"github.com/storefront-go/storefront/graph/lib/ratelimit"
)

// A loop is one row of the tables below. The comment at its end names the package of the work.
type loop struct {
	name    string
	every   time.Duration // between the end of a round and the start of the next
	timeout time.Duration // of one round; 0 means five minutes
	run     func(context.Context) error
	wakeups <-chan struct{} // starts a round at once; may be nil
}

// newLoops returns the loops of a server in the order of their start. They stop in reverse.
func (s *Server) newLoops(claims *idem.Keeper) []loop {
	return slices.Concat(s.dispatchLoops(), s.accessLoops(), s.sellingLoops(), s.catalogLoops(), s.purgeLoops(claims))
}

// dispatchLoops are also run by a process that only delivers webhooks.
func (s *Server) dispatchLoops() []loop {
	loops := []loop{
		{"watch_redactions", time.Second, 0, s.base.Erasures.Watch, nil},                // engine/erase
		{"heartbeat", fleet.BeatEvery, fleet.BeatEvery, s.fleet.Beat, nil},              // engine/fleet
		{"purge_processes", time.Hour, 0, s.purge("processes", s.of(fleet.Purge)), nil}, // engine/fleet
	}
	if s.sender == nil {
		return loops
	}
	// Shoppers wait for the code that signs them in.
	return slices.Insert(loops, 0, loop{"send_mail", time.Second, 0, s.sender.Round, nil}) // engine/notify
}

// accessLoops keep credentials and the accounts of people current in all processes.
func (s *Server) accessLoops() []loop {
	remind := func(ctx context.Context) (int, error) {
		return notify.RemindOfTokens(ctx, s.base.Store, s.base.Notifier)
	}
	digests := s.counted(func(ctx context.Context) (int, error) {
		return notify.SendDigests(ctx, s.base.Store, s.base.Notifier)
	}, "sent daily summaries", "emails")
	remindAll := s.counted(remind, "reminded of staff tokens", "notices")
	return []loop{
		{"watch_revocations", apikey.WatchEvery, apikey.RevocationDelay, s.base.Keys.Watch, nil}, // engine/apikey
		{"carry_out_tasks", task.Every, time.Hour, s.core.Tasks.Round, nil},                      // engine/task
		{"last_use", time.Minute, 0, s.base.Keys.WriteUsed, nil},                                 // engine/apikey
		{"request_log", requestlog.Every, 30 * time.Second, s.requests.Round, nil},               // engine/requestlog
		{"erase", 5 * time.Second, time.Hour, s.base.Erasures.Round, s.base.Erasures.Wakeups()},  // engine/erase
		{"remind_staff_tokens", time.Hour, time.Hour, remindAll, nil},                            // engine/notify
		{"send_digests", 10 * time.Minute, time.Hour, digests, nil},                              // engine/notify
	}
}

func (s *Server) sellingLoops() []loop {
	sales := rollup.NewKeeper(s.base.Store)
	holds := s.counted(s.core.EndHolds, "canceled orders that were not paid in time", "orders")
	payments := s.counted(s.core.SettlePayments, "checked payments", "payments")
	refunds := s.counted(s.core.ReturnMoney, "sent refunds", "refunds")
	carts := s.counted(s.core.Carts().Remind, "reminded shoppers of carts", "emails")
	reports := s.counted(s.core.WriteReports, "computed reports", "reports")
	return []loop{
		{"compute_reports", 5 * time.Second, time.Hour, reports, s.core.ReportWakeups()},           // domain/report
		{"end_holds", 15 * time.Second, time.Hour, holds, nil},                                     // domain/sales
		{"settle_payments", 15 * time.Second, time.Hour, payments, nil},                            // domain/sales
		{"return_money", 15 * time.Second, time.Hour, refunds, s.core.Payments.Wakeups()},          // domain/sales
		{"check_domains", domain.Every, time.Hour, s.core.Domains.Round, s.core.Domains.Wakeups()}, // engine/domain
		{"remind_of_carts", time.Minute, time.Hour, carts, nil},                                    // domain/cart
		{"roll_up_sales", time.Minute, time.Hour, sales.Round, nil},                                // engine/rollup
	}
}

func (s *Server) catalogLoops() []loop {
	const hour, day = time.Hour, 24 * time.Hour
	imports := s.counted(s.core.RunImports, "worked on imports", "turns")
	fetches := s.counted(s.core.RunImportImages, "settled images of imports", "images")
	stock := s.counted(s.core.ReportStock, "reported changed stock", "events")
	prices := s.counted(s.core.ChangePrices, "began or ended sales", "products")
	return []loop{
		{"run_imports", 2 * time.Second, hour, imports, s.core.ImportWakeups()},              // domain/importer
		{"fetch_import_images", 2 * time.Second, hour, fetches, nil},                         // domain/importer
		{"change_prices", 2 * time.Second, hour, prices, nil},                                // domain/catalog
		{"report_stock", time.Second, hour, stock, nil},                                      // domain/catalog
		{"install_themes", 5 * time.Second, 0, s.core.Themes.Round, s.core.Themes.Wakeups()}, // engine/install
		{"seed_themes", hour, 0, s.core.Themes.Seed, nil},                                    // engine/install
		{"sweep_themes", day, hour, s.core.Themes.Sweep, nil},                                // engine/install
		{"sweep_images", day, hour, s.core.Images.Sweep, nil},                                // engine/images
		{"index_products", hour, day, s.core.Listings.Backfill, nil},                         // engine/index/listings
		{"update_collections", time.Minute, hour, s.core.Listings.UpdateCollections,
			s.core.Listings.Wakeups()}, // engine/index/listings
		{"index_search", hour, day, s.words.Backfill, nil},      // engine/index/search
		{"flush_search", time.Second, hour, s.words.Flush, nil}, // engine/index/search
	}
}

func (s *Server) purgeLoops(claims *idem.Keeper) []loop {
	rows := []struct {
		name, what string
		purge      func(context.Context) (int, error)
	}{
		{"purge_task_receipts", "receipts of tasks", s.core.Tasks.Purge},              // engine/task
		{"purge_requests", "logged requests", s.of(requestlog.Purge)},                 // engine/requestlog
		{"purge_idempotency", "idempotency keys", claims.Purge},                       // engine/idem
		{"purge_sessions", "sessions", s.base.Sessions.Purge},                         // engine/session
		{"purge_challenges", "challenges", s.of(session.PurgeChallenges)},             // engine/session
		{"purge_allowances", "allowances", s.of(ratelimit.Purge)},                     // lib/ratelimit
		{"purge_payment_accounts", "former payment accounts", s.core.ForgetAccounts},  // domain/selling
		{"purge_carts", "carts", s.core.Carts().Purge},                                // domain/cart
		{"purge_shoppers", "sessions and codes of shoppers", s.core.Shoppers().Purge}, // domain/shopper
		{"purge_account_logs", "people's logs", s.of(audit.Purge)},                    // engine/audit
		{"purge_grants", "grants and tokens", s.oauth.Purge},                          // engine/oauth
		{"purge_events", "events", s.of(outbox.Purge)},                                // engine/outbox
		{"purge_webhooks", "deliveries and attempts", s.hooks.Purge},                  // engine/webhook
	}
	keys := s.purge("revocations", s.base.Keys.Purge)
	notes := s.purge("notes of redacted customers", s.base.Erasures.Sweep)
	loops := []loop{
		{"purge_revocations", time.Minute, time.Hour, keys, nil},  // engine/apikey
		{"sweep_redacted", time.Hour, 24 * time.Hour, notes, nil}, // engine/erase
	}
	for _, r := range rows {
		loops = append(loops, loop{r.name, time.Hour, time.Hour, s.purge(r.what, r.purge), nil})
	}
	return loops
}

func (s *Server) of(purge func(context.Context, *ent.Store) (int, error)) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) { return purge(ctx, s.base.Store) }
}

func (s *Server) purge(what string, f func(context.Context) (int, error)) func(context.Context) error {
	return s.counted(f, "purged", "rows", "what", what)
}

// counted returns a round that logs how many rows it changed.
func (s *Server) counted(
	f func(context.Context) (int, error), message, unit string, args ...any,
) func(context.Context) error {
	return func(ctx context.Context) error {
		n, err := f(ctx)
		if n > 0 {
			s.log.InfoContext(ctx, message, slices.Concat(args, []any{unit, n})...)
		}
		return err
	}
}

// join registers the process in the fleet until the server closes.
func (s *Server) join(ctx context.Context, role state.ProcessRole, b Build) (err error) {
	s.fleet, err = fleet.New(fleet.Config{Store: s.base.Store, ID: s.base.Process, Role: role,
		Version: cmp.Or(b.Version, "(devel)"), Logger: s.log})
	if err != nil {
		return err
	}
	s.closer.push("leave the fleet", s.fleet.Leave)
	return s.fleet.Beat(ctx)
}

// background starts the loops and then other services. The shutdown stops all of them in reverse.
func (s *Server) background(ctx context.Context, loops []loop, others ...work.Service) error {
	g := new(work.Group)
	for _, l := range loops {
		worker, err := work.New(work.Config{Name: l.name, Interval: l.every, Timeout: l.timeout, Run: l.run,
			Wakeups: l.wakeups, Logger: s.log})
		if err != nil {
			return err
		}
		g.Add(worker)
	}
	g.Add(others...)
	// Before anything is sent, learn which customers were redacted while this process was down.
	if err := s.base.Erasures.Watch(ctx); err != nil {
		return err
	}
	g.Start(ctx)
	s.closer.push("stop background work", func(limit context.Context) error { g.Stop(limit); return nil })
	return nil
}
