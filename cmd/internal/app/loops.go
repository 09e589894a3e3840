package app

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/audit"
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

// Intervals of the background loops.
const (
	usedEvery   = time.Minute // contract, section 7: last_used_at at most once a minute
	purgeEvery  = time.Hour
	remindEvery = time.Hour
	mailEvery   = 5 * time.Second
	themeEvery  = 5 * time.Second
	sweepEvery  = 24 * time.Hour
	watchEvery  = time.Second
	eraseEvery  = 5 * time.Second
	holdEvery   = 15 * time.Second
	judgeEvery  = time.Minute
	// logTimeout is how long a round of the log of requests may try: what it holds is lost
	// then, and room for what came since.
	logTimeout = 30 * time.Second
)

// newLoops makes what runs beside the requests. They start in this order and
// stop in reverse.
func (s *Server) newLoops(claims *idem.Keeper) []work.Config {
	return append(s.dispatchLoops(), []work.Config{
		{Name: "watch_revocations", Interval: apikey.WatchEvery, Timeout: apikey.Elsewhere, Run: s.base.Keys.Watch},
		{Name: "carry_out_tasks", Interval: task.Every, Timeout: purgeEvery, Run: s.tasks.Round},
		{Name: "purge_task_receipts", Interval: purgeEvery, Timeout: purgeEvery,
			Run: counted(s.log, "receipts of tasks", s.tasks.Purge)},
		{Name: "tell_rates", Interval: fleet.TellEvery, Timeout: apikey.Elsewhere,
			Run: func(ctx context.Context) error { return s.fleet.Tell(ctx, s.rates.Tell) }},
		{Name: "purge_revocations", Interval: judgeEvery, Timeout: purgeEvery,
			Run: counted(s.log, "revocations", s.base.Keys.Purge)},
		{Name: "last_use", Interval: usedEvery, Run: s.base.Keys.WriteUsed},
		{Name: "request_log", Interval: requestlog.Every, Timeout: logTimeout, Run: s.requests.Round},
		{Name: "purge_requests", Interval: purgeEvery, Timeout: purgeEvery, Run: counted(s.log, "logged requests",
			func(ctx context.Context) (int, error) { return requestlog.Purge(ctx, s.base.Store) })},
		{Name: "purge_idempotency", Interval: purgeEvery, Timeout: purgeEvery,
			Run: counted(s.log, "idempotency keys", claims.Purge)},
		{Name: "purge_sessions", Interval: purgeEvery, Timeout: purgeEvery,
			Run: counted(s.log, "sessions", s.base.Sessions.Purge)},
		{Name: "purge_allowances", Interval: purgeEvery, Timeout: purgeEvery, Run: counted(s.log, "allowances",
			func(ctx context.Context) (int, error) { return ratelimit.Purge(ctx, s.base.Store) })},
		{Name: "purge_challenges", Interval: purgeEvery, Timeout: purgeEvery, Run: counted(s.log, "challenges",
			func(ctx context.Context) (int, error) { return session.PurgeChallenges(ctx, s.base.Store) })},
		{Name: "end_holds", Interval: holdEvery, Timeout: purgeEvery, Run: s.endHolds},
		{Name: "settle_payments", Interval: holdEvery, Timeout: purgeEvery, Run: s.settlePayments},
		{Name: "return_money", Interval: holdEvery, Timeout: purgeEvery, Run: s.returnMoney,
			Woken: s.payments.Woken()},
		{Name: "purge_payment_accounts", Interval: purgeEvery, Timeout: purgeEvery,
			Run: counted(s.log, "former payment accounts", s.carts.ForgetAccounts)},
		{Name: "purge_carts", Interval: purgeEvery, Timeout: purgeEvery,
			Run: counted(s.log, "carts", s.carts.Purge)},
		{Name: "purge_account_logs", Interval: purgeEvery, Timeout: purgeEvery, Run: counted(s.log, "people's logs",
			func(ctx context.Context) (int, error) { return audit.Purge(ctx, s.base.Store) })},
		{Name: "purge_grants", Interval: purgeEvery, Timeout: purgeEvery,
			Run: counted(s.log, "grants and tokens", s.oauth.Purge)},
		{Name: "purge_events", Interval: purgeEvery, Timeout: purgeEvery, Run: counted(s.log, "events",
			func(ctx context.Context) (int, error) { return outbox.Purge(ctx, s.base.Store) })},
		{Name: "install_themes", Interval: themeEvery, Run: s.themes.Round, Woken: s.themes.Woken()},
		{Name: "seed_themes", Interval: purgeEvery, Run: s.themes.Seed},
		{Name: "sweep_themes", Interval: sweepEvery, Timeout: purgeEvery, Run: s.themes.Sweep},
		{Name: "shelve_products", Interval: purgeEvery, Timeout: sweepEvery, Run: s.shelves.Round},
		{Name: "make_findable", Interval: purgeEvery, Timeout: sweepEvery, Run: s.words.Round},
		{Name: "fill_lines", Interval: purgeEvery, Timeout: sweepEvery, Run: s.fillLines},
		// Nobody waits for it, and what comes within a second is written together.
		{Name: "settle_words", Interval: watchEvery, Timeout: purgeEvery, Run: s.words.Settle},
		{Name: "sum_up_sales", Interval: judgeEvery, Timeout: purgeEvery, Run: rollup.NewKeeper(s.base.Store).Round},
		{Name: "judge_collections", Interval: judgeEvery, Timeout: purgeEvery, Run: s.shelves.Judge,
			Woken: s.shelves.Woken()},
		{Name: "sweep_pictures", Interval: sweepEvery, Timeout: purgeEvery, Run: s.pictures.Sweep},
		{Name: "purge_webhooks", Interval: purgeEvery, Timeout: purgeEvery,
			Run: counted(s.log, "deliveries and attempts", s.hooks.Purge)},
		{Name: "erase", Interval: eraseEvery, Timeout: purgeEvery, Run: s.base.Erasures.Round,
			Woken: s.base.Erasures.Woken()},
		{Name: "sweep_redacted", Interval: purgeEvery, Timeout: sweepEvery,
			Run: counted(s.log, "notes of redacted customers", s.base.Erasures.Sweep)},
		{Name: "remind_staff_tokens", Interval: remindEvery, Timeout: remindEvery, Run: s.remind},
	}...)
}

// remind gives notice to people whose staff tokens end soon.
func (s *Server) remind(ctx context.Context) error {
	n, err := notify.RemindOfTokens(ctx, s.base.Store, s.base.Notifier)
	if n > 0 {
		s.log.InfoContext(ctx, "reminded of staff tokens", "notices", n)
	}
	return err
}

// fillLines gives orders of before their lines in their own rows.
func (s *Server) fillLines(ctx context.Context) error {
	n, err := s.carts.FillLines(ctx)
	if n > 0 {
		s.log.InfoContext(ctx, "gave orders their lines", "orders", n)
	}
	return err
}

// endHolds cancels the orders that were not paid in time.
func (s *Server) endHolds(ctx context.Context) error {
	n, err := s.carts.EndHolds(ctx)
	if n > 0 {
		s.log.InfoContext(ctx, "cancelled orders that were not paid in time", "orders", n)
	}
	return err
}

// settlePayments asks about the payments that are under way.
func (s *Server) settlePayments(ctx context.Context) error {
	n, err := s.carts.SettlePayments(ctx)
	if n > 0 {
		s.log.InfoContext(ctx, "asked about payments", "payments", n)
	}
	return err
}

// returnMoney gives back what is due.
func (s *Server) returnMoney(ctx context.Context) error {
	n, err := s.carts.ReturnMoney(ctx)
	if n > 0 {
		s.log.InfoContext(ctx, "gave back money", "refunds", n)
	}
	return err
}

// dispatchLoops are those of a process that only delivers, too.
func (s *Server) dispatchLoops() []work.Config {
	return append(s.mailLoops(),
		work.Config{Name: "watch_redactions", Interval: watchEvery, Run: s.base.Erasures.Watch},
		work.Config{Name: "beat", Interval: fleet.BeatEvery, Timeout: fleet.BeatEvery, Run: s.fleet.Beat},
		work.Config{Name: "purge_processes", Interval: purgeEvery, Run: counted(s.log, "processes",
			func(ctx context.Context) (int, error) { return fleet.Purge(ctx, s.base.Store) })})
}

// hear takes what the processes of the fleet told of rates, but what this one did.
func (s *Server) hear(told []apikey.Told) {
	s.rates.Hear(slices.DeleteFunc(told, func(t apikey.Told) bool { return t.Process == s.base.Process }))
}

// join takes the process into the fleet, until it ends.
func (s *Server) join(ctx context.Context, role state.ProcessRole, b Build) (err error) {
	s.fleet, err = fleet.New(fleet.Config{Store: s.base.Store, ID: s.base.Process, Role: role,
		Version: cmp.Or(b.Version, "(devel)"), Logger: s.log})
	if err != nil {
		return err
	}
	s.closer.push("leave the fleet", s.fleet.Leave)
	return s.fleet.Beat(ctx)
}

// mailLoops hands mails to the mail server, where there is one.
func (s *Server) mailLoops() []work.Config {
	if s.sender == nil {
		return nil
	}
	return []work.Config{{Name: "send_mail", Interval: mailEvery, Run: s.sender.Round}}
}

// background starts loops and then other services, and stops all of them when the
// server is shut down, in reverse.
func (s *Server) background(ctx context.Context, loops []work.Config, others ...work.Service) error {
	g := new(work.Group)
	for _, c := range loops {
		c.Logger = s.log
		l, err := work.New(c)
		if err != nil {
			return err
		}
		g.Add(l)
	}
	g.Add(others...)
	// Whoever was redacted while this process was down is known before anything is sent.
	if err := s.base.Erasures.Watch(ctx); err != nil {
		return err
	}
	g.Start(ctx)
	s.closer.push("stop background work", func(limit context.Context) error { g.Stop(limit); return nil })
	return nil
}

// counted logs how many rows a purge deleted.
func counted(log *slog.Logger, what string, purge func(context.Context) (int, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		n, err := purge(ctx)
		if n > 0 {
			log.InfoContext(ctx, "purged", "what", what, "rows", n)
		}
		return err
	}
}
