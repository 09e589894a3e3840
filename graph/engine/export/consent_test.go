package export

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// consenting are customers with every state of a consent, by the first part of their address.
var consenting = []struct {
	name   string
	status state.CustomerStatus
	choice state.EmailMarketing
	source state.ConsentSource
	stop   func(*bench, context.Context, string) error
}{
	{name: "account", status: state.CustomerActive, choice: state.EmailSubscribed, source: state.ConsentAccount},
	{name: "guest", status: state.CustomerGuest, choice: state.EmailSubscribed, source: state.ConsentAccount},
	{name: "staff", status: state.CustomerGuest, choice: state.EmailSubscribed, source: state.ConsentStaff},
	{name: "unrecorded", status: state.CustomerGuest, choice: state.EmailSubscribed},
	{name: "never", status: state.CustomerActive, choice: state.EmailNotSubscribed},
	{name: "withdrawn", status: state.CustomerActive, choice: state.EmailUnsubscribed, source: state.ConsentAccount},
	{name: "disabled", status: state.CustomerDisabled, choice: state.EmailSubscribed, source: state.ConsentAccount},
	{name: "", status: state.CustomerGuest, choice: state.EmailSubscribed, source: state.ConsentAccount},
	{name: "redacted", status: state.CustomerRedacted, choice: state.EmailSubscribed, source: state.ConsentAccount},
	{name: "stopped", status: state.CustomerGuest, choice: state.EmailSubscribed, source: state.ConsentStaff,
		stop: (*bench).stopMarketing},
	{name: "stopped-all", status: state.CustomerActive, choice: state.EmailSubscribed, source: state.ConsentAccount,
		stop: (*bench).stopAll},
}

func (b *bench) stopMarketing(ctx context.Context, address string) error {
	return notify.StopMarketing(ctx, b.store, notify.Address(address))
}

func (b *bench) stopAll(ctx context.Context, address string) error {
	return notify.Stop(ctx, b.store, notify.Address(address))
}

// consent creates the customers of [consenting].
func (b *bench) consent(ctx context.Context, at micros.Time) {
	b.t.Helper()
	for _, tc := range consenting {
		id, address := xid.New(), tc.name+"@example.com"
		b.must(b.store.InTx(ctx, func(ctx context.Context) error {
			c := b.store.DB(ctx).Customer.Create().SetID(id).SetStatus(tc.status).SetEmailMarketing(tc.choice).
				SetEmailMarketingAt(at).SetAddresses(document.Addresses("[]")).SetTags(document.NewTags(nil)).
				SetUpdatedAt(id.Time())
			if tc.source != "" {
				c.SetEmailMarketingSource(tc.source)
			}
			if tc.name != "" {
				c.SetEmail(address)
			}
			return c.Exec(ctx)
		}))
		if tc.stop != nil {
			b.must(tc.stop(b, ctx, address))
		}
	}
}

// TestMarketingConsent exports the customers who consent to marketing emails, and nobody else. The stop of an
// address in another store does not count.
func TestMarketingConsent(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx, at := b.shop(), micros.Now()
		b.consent(ctx, at)
		b.must(b.stopAll(b.shop(), "account@example.com"))
		b.start(b.Engine)
		for consent, want := range map[state.MarketingConsent][]string{
			state.ConsentGiven:     {"account", "guest", "staff", "unrecorded"},
			state.ConsentConfirmed: {"account", "guest"},
		} {
			id := b.ask(ctx, state.ExportCustomers, state.ExportCSV, state.ExportPlain,
				func(e *db.ExportCreate) { e.SetFilterConsent(consent) })
			row := b.wait(ctx, id, state.ExportCompleted)
			_, rows := table(t, b.file(ctx, id))
			var got []string
			for _, r := range rows {
				got = append(got, r["email"])
				if since := r["email_marketing_at"]; since != string(at.Append(nil)) {
					t.Errorf("%s: since %q", got, since)
				}
			}
			var full []string
			for _, name := range want {
				full = append(full, name+"@example.com")
			}
			if diff := cmp.Diff(full, got); diff != "" || row.RowsDone != int64(len(want)) {
				t.Errorf("%s: %d rows (-want +got):\n%s", consent, row.RowsDone, diff)
			}
			if from := rows[0]["email_marketing_source"]; from != "account" {
				t.Errorf("%s: chosen by %q", consent, from)
			}
		}
	})
}
