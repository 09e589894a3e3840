package webhook

import (
	"context"
	stdsql "database/sql"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// row is the row of a queue, joined with its endpoint's.
type row struct {
	schedule.Key
	schedule.Row
	settings
	inactive bool // a person or a suspension took the endpoint out of service
}

// columns are the columns of a queue and its endpoint, in the order of [leaser.scan].
const columns = "q.store_id, q.id, q.lease_token, q.wake, q.epoch, q.last_sequence, q.floor_sequence, q.resumed_at," +
	" q.missed_from, q.replay_from, q.replay_to, q.failing_since, q.failed_through, q.warned, q.streak, q.probe_at," +
	" CASE WHEN e.status = ? AND e.deleted_at IS NULL THEN 0 ELSE 1 END," +
	" e.url, e.events, e.secret, e.next_secret, e.next_secret_at, e.app_store_id, e.app_id, e.headers, e.filters, e.payload, e.selection," +
	" COALESCE(e.paused_until, 0), COALESCE(e.rate_limit, 0)"

// readRows reads the rows of the queues that this process owns; others are left out.
func (l *leaser) readRows(ctx context.Context, keys []schedule.Key) (map[schedule.Key]*row, error) {
	args := []any{string(state.EndpointActive), l.Process}
	for _, k := range keys {
		args = append(args, k.Store, k.Endpoint)
	}
	rows := make(map[schedule.Key]*row, len(keys))
	err := l.read(ctx, "SELECT "+columns+
		" FROM webhook_queues q JOIN webhook_endpoints e"+
		// Without the hint, MariaDB estimates an index by each endpoint's app, which takes as long
		// as the read.
		ent.IndexHint(l.Store.Dialect(), "webhook_endpoints", ent.Primary)+
		" ON e.store_id = q.store_id AND e.id = q.id"+
		" WHERE q.lease_owner = ? AND "+l.among("q.store_id, q.id", len(keys)), args,
		func(rs *stdsql.Rows) error {
			r, err := l.scan(rs)
			if err == nil {
				rows[r.Key] = r
			}
			return err
		})
	return rows, err
}

// scan scans a row of [columns].
func (l *leaser) scan(rs *stdsql.Rows) (*row, error) {
	r := new(row)
	var e db.WebhookEndpoint
	err := rs.Scan(&r.Store, &r.Endpoint, &r.Token, &r.Wake, &r.Epoch, &r.Last, &r.Floor, &r.Resumed,
		&r.Missed, &r.Replay[0], &r.Replay[1], &r.FailingSince, &r.FailedThrough, &r.Warned, &r.Streak, &r.Probe,
		&r.inactive, &e.URL, &e.Events, &e.Secret, &e.NextSecret, &e.NextSecretAt, &e.AppStoreID, &e.AppID,
		&e.Headers, &e.Filters, &e.Payload, &e.Selection, &r.Paused, &r.Rate)
	if err != nil {
		return nil, err
	}
	l.adjust(&r.Row)
	r.types, r.filters, r.owner = typesOf(e.Events), conditions(e.Filters), appOf(e.AppStoreID, e.AppID)
	e.ID, r.payload, r.selection = r.Endpoint, wire.PayloadOf(&e), e.Selection
	if promotes := (&model.WebhookEndpoint{WebhookEndpoint: &e}).NextSecretPromotesAt(); promotes != nil {
		r.promoted = micros.Now() >= *promotes
	}
	// A deleted endpoint has no secret; its queue is released.
	if r.target, r.headers, err = l.Vault.targetOf(&e); err != nil && !r.inactive {
		// Only this endpoint waits: the others of the batch are unaffected.
		l.Logger.Error("webhooks: cannot send to an endpoint",
			"endpoint", xid.WebhookEndpoint.Format(r.Endpoint), "error", err)
	}
	return r, nil
}

// typesOf parses the event types to which an endpoint subscribed.
func typesOf(names string) map[event.Type]bool {
	types := map[event.Type]bool{}
	for name := range strings.FieldsSeq(names) {
		types[event.Type(name)] = true
	}
	return types
}

func appOf(store, id *xid.ID) *app {
	if id == nil {
		return nil
	}
	return &app{*store, *id}
}

// targetOf returns the target of an endpoint's attempts and its decrypted headers. One of two
// secrets is enough: the other may be sealed with a root secret that is gone.
func (v Vault) targetOf(endpoint *db.WebhookEndpoint) (*attempt.Target, []Header, error) {
	headers, err := v.OpenHeaders(endpoint.ID, endpoint.Headers)
	if err != nil {
		return nil, nil, err
	}
	var secrets []string
	var lost error
	current, next := model.Secrets(endpoint, micros.Now())
	for _, sealed := range [][]byte{current, next} {
		if len(sealed) == 0 {
			continue
		}
		secret, err := v.Open(endpoint.ID, sealed)
		if err != nil {
			lost = err
			continue
		}
		secrets = append(secrets, secret)
	}
	if len(secrets) == 0 && lost != nil {
		return nil, nil, lost
	}
	target, err := attempt.NewTarget(endpoint.URL, secrets...)
	return target, headers, err
}
