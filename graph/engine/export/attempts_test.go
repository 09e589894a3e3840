package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// receiver creates an endpoint with a queue.
func (b *bench) receiver(ctx context.Context) xid.ID {
	b.t.Helper()
	id := xid.New()
	b.must(b.store.InTx(ctx, func(ctx context.Context) error {
		c := b.store.DB(ctx)
		err := c.WebhookEndpoint.Create().SetID(id).SetURL("https://hooks.example.com/").SetEvents("order.paid").
			SetStatus(state.EndpointActive).SetSecret([]byte("x")).SetSecretHint("x").SetUpdatedAt(id.Time()).Exec(ctx)
		if err != nil {
			return err
		}
		return c.WebhookQueue.Create().SetID(id).SetBucket(bucket.Of(viewer.From(ctx).Store)).SetDueAt(micros.Max).
			Exec(ctx)
	}))
	return id
}

// delivered is a delivery of the fixture with a number of attempts. The last attempt ended it
// unless it waits. A lost one was canceled with its queue.
type delivered struct {
	attempts    int
	waits, lost bool
	at          micros.Time
}

// deliver writes deliveries as the engine does, and returns their attempts as
// "<sequence>.<number>".
func (b *bench) deliver(ctx context.Context, endpoint xid.ID, first int64, list []delivered) (want []string) {
	b.t.Helper()
	const chunk = 100
	for from := 0; from < len(list); from += chunk {
		b.must(b.store.InTx(ctx, func(ctx context.Context) error {
			p := &planting{Client: b.store.DB(ctx), endpoint: endpoint}
			for i := from; i < min(from+chunk, len(list)); i++ {
				p.add(first+int64(i), list[i])
			}
			return p.write(ctx)
		}))
	}
	for i, d := range list {
		for n := range d.attempts {
			if !d.lost {
				want = append(want, fmt.Sprintf("%d.%d", first+int64(i), n+1))
			}
		}
	}
	return want
}

// planting gathers the rows of deliveries.
type planting struct {
	*db.Client
	endpoint xid.ID
	events   []*db.EventCreate
	waiting  []*db.DeliveryCreate
	logs     []*db.DeliveryLogCreate
	attempts []*db.AttemptCreate
}

// add adds a delivery. The detail of its attempts is its sequence.
func (p *planting) add(n int64, d delivered) {
	id, ev, early, detail := xid.At(d.at), xid.New(), d.attempts, strconv.FormatInt(n, 10)
	switch {
	case d.lost:
	case d.waits:
		p.events = append(p.events, p.Event.Create().SetID(ev).SetType(event.OrderPaid).SetResourceType("order").
			SetResourceID(ev).SetSequence(1).SetBody([]byte("{}")))
		p.waiting = append(p.waiting, p.Delivery.Create().SetID(id).SetEndpointID(p.endpoint).SetSequence(n).
			SetEventID(ev).SetResourceID(ev).SetAttempts(d.attempts).SetFirstAt(d.at))
	default:
		log := p.DeliveryLog.Create().SetID(id).SetEndpointID(p.endpoint).SetSequence(n).SetEventID(ev).
			SetType(event.ProductUpdated).SetResourceID(ev).SetState(state.DeliveryDelivered).SetAttempts(d.attempts).
			SetSettledAt(d.at).SetOutcome("delivered").SetStatus(200).SetResponse([]byte("answer"))
		if early--; d.attempts > 0 {
			log.SetBeganAt(d.at).SetAttemptID(xid.New()).SetDetail(detail)
		}
		p.logs = append(p.logs, log)
	}
	for k := range early {
		p.attempts = append(p.attempts, p.Attempt.Create().SetEndpointID(p.endpoint).SetSequence(n).SetNumber(k+1).
			SetBeganAt(d.at).SetNextAt(d.at).SetOutcome("timeout").SetDetail(detail).SetDuration(5).
			SetRequest([]byte("secret")))
	}
}

func (p *planting) write(ctx context.Context) error {
	return errors.Join(p.Event.CreateBulk(p.events...).Exec(ctx), p.Delivery.CreateBulk(p.waiting...).Exec(ctx),
		p.DeliveryLog.CreateBulk(p.logs...).Exec(ctx), p.Attempt.CreateBulk(p.attempts...).Exec(ctx))
}

// varied returns deliveries of every kind, created at a time.
func varied(n int, at micros.Time) []delivered {
	list := make([]delivered, n)
	for i := range list {
		list[i] = delivered{attempts: i % 4, waits: i%7 == 3, lost: i%50 == 49, at: at}
	}
	return list
}

// ofEndpoint makes a job export the attempts of an endpoint.
func ofEndpoint(id xid.ID) func(*db.ExportCreate) {
	return func(c *db.ExportCreate) { c.SetEndpointID(id) }
}

// places returns the attempts of a JSONL file as "<sequence>.<number>". The fixture's detail is the
// sequence.
func places(t *testing.T, file []byte) (list []string) {
	t.Helper()
	for line := range bytes.Lines(file) {
		var a struct {
			Number int
			Detail string
		}
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%s.%d", a.Detail, a.Number))
	}
	return list
}

// TestAttempts: a file has all attempts of one endpoint, in the order of the log, over many
// batches, without requests and responses.
func TestAttempts(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		mine, other := b.receiver(ctx), b.receiver(ctx)
		now := micros.Now()
		want := b.deliver(ctx, mine, 1, varied(900, now))
		b.deliver(ctx, other, 1, varied(20, now))
		b.deliver(b.shop(), mine, 1, varied(20, now))
		b.start(b.Engine)
		id := b.ask(ctx, state.ExportWebhookAttempts, state.ExportJSONL, state.ExportPlain, ofEndpoint(mine))
		row := b.wait(ctx, id, state.ExportCompleted)
		file := b.file(ctx, id)
		if diff := cmp.Diff(want, places(t, file)); diff != "" {
			t.Errorf("attempts (-want +got):\n%.2000s", diff)
		}
		if row.RowsDone != int64(len(want)) || bytes.Contains(file, []byte("answer")) ||
			bytes.Contains(file, []byte("secret")) {
			t.Errorf("%d rows, want %d; %.300s", row.RowsDone, len(want), file)
		}
		id = b.ask(ctx, state.ExportWebhookAttempts, state.ExportCSV, state.ExportGzip, ofEndpoint(mine))
		b.wait(ctx, id, state.ExportCompleted)
		if columns, rows := table(t, unzip(t, b.file(ctx, id))); len(columns) != 16 || len(rows) != len(want) ||
			rows[0]["delivery_state"] != "delivered" || rows[0]["http_status"] != "200" {
			t.Errorf("%v, %d rows: %v", columns, len(rows), rows[:1])
		}
	})
}

// TestAttemptsInTime: attempts after the start of a job are not in its file, and a filter uses the
// time they began.
func TestAttemptsInTime(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		mine, at := b.receiver(ctx), micros.Now()-1000
		early := b.deliver(ctx, mine, 1, varied(40, at))
		filtered := b.deliver(ctx, mine, 41, varied(40, at+10))
		for _, tc := range []struct {
			name string
			edit func(*db.ExportCreate)
			want []string
		}{
			{"from", func(c *db.ExportCreate) { c.SetCreatedFrom(at + 10) }, filtered},
			{"to", func(c *db.ExportCreate) { c.SetCreatedTo(at + 10) }, early},
			{"all", func(*db.ExportCreate) {}, slices.Concat(early, filtered)},
		} {
			id := b.ask(ctx, state.ExportWebhookAttempts, state.ExportJSONL, state.ExportPlain, ofEndpoint(mine),
				tc.edit)
			e := b.engine()
			r, err := e.claim(ctx, candidate{key: key{viewer.From(ctx).Store, id}, status: state.ExportQueued})
			b.must(err)
			if tc.name == "all" {
				b.deliver(ctx, mine, 1000, varied(10, *r.job.StartedAt+1))
			}
			e.work(ctx, r)
			if diff := cmp.Diff(tc.want, places(t, b.file(ctx, id))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.name, diff)
			}
			if row := b.row(ctx, id); *row.ResourcesTotal != int64(len(tc.want)) {
				t.Errorf("%s: %d in all, want %d", tc.name, *row.ResourcesTotal, len(tc.want))
			}
		}
	})
}

// TestAttemptsTakenOver: a job whose owner is killed produces the same bytes as an undisturbed one,
// wherever a part ends.
func TestAttemptsTakenOver(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		mine := b.receiver(ctx)
		b.deliver(ctx, mine, 1, varied(1600, micros.Now()))
		for _, zip := range []state.ExportCompression{state.ExportPlain, state.ExportGzip} {
			calm := b.ask(ctx, state.ExportWebhookAttempts, state.ExportCSV, zip, ofEndpoint(mine))
			b.turn(ctx, calm, -1)
			hit := b.ask(ctx, state.ExportWebhookAttempts, state.ExportCSV, zip, ofEndpoint(mine))
			b.edit(ctx, hit, func(u *db.ExportUpdate) { u.SetStartedAt(*b.row(ctx, calm).StartedAt) })
			for range 2 {
				b.turn(ctx, hit, 1)
			}
			b.turn(ctx, hit, -1)
			if got, want := b.file(ctx, hit), b.file(ctx, calm); !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes differ from the %d of an undisturbed run", zip, len(got), len(want))
			}
			if row := b.row(ctx, hit); row.LeaseToken != 3 || row.Parts < 3 {
				t.Errorf("token %d, %d parts", row.LeaseToken, row.Parts)
			}
		}
	})
}

// TestAttemptsAtOnePlace: two attempts with the same number, one from a process that had lost its
// lease, are both in the file, whatever the batches.
func TestAttemptsAtOnePlace(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		mine, at := b.receiver(ctx), micros.Now()
		list := make([]delivered, batchSize+20)
		for i := range list {
			list[i] = delivered{attempts: 1, at: at}
		}
		want := b.deliver(ctx, mine, 1, list)
		b.must(b.store.InTx(ctx, func(ctx context.Context) error {
			p := &planting{Client: b.store.DB(ctx), endpoint: mine}
			for i := range list {
				p.add(int64(i+1), delivered{attempts: 1, lost: true, at: at})
			}
			return p.write(ctx)
		}))
		id := b.ask(ctx, state.ExportWebhookAttempts, state.ExportJSONL, state.ExportPlain, ofEndpoint(mine))
		b.turn(ctx, id, -1)
		var twice []string
		for _, w := range want {
			twice = append(twice, w, w)
		}
		if diff := cmp.Diff(twice, places(t, b.file(ctx, id))); diff != "" {
			t.Errorf("attempts (-want +got):\n%.2000s", diff)
		}
	})
}

// TestAttemptsAreReadInParts: a batch in the middle of a long log runs few statements and reads
// only its own rows.
func TestAttemptsAreReadInParts(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		mine := b.receiver(ctx)
		b.deliver(ctx, mine, 1, varied(3000, micros.Now()))
		job := b.row(ctx, b.ask(ctx, state.ExportWebhookAttempts, state.ExportCSV, state.ExportPlain, ofEndpoint(mine)))
		job.StartedAt = new(micros.Now())
		s := newSource(b.store, job, "EUR", "")
		middle := place{1000, 1}.position()
		var statements uint64
		read := storetest.Reads(t, ctx, b.store, func(ctx context.Context) {
			rows := int64(0)
			counted, counter := ent.CountStatements(ctx)
			_, more, err := s.batch(counted, &middle, func(p piece) error {
				rows += p.rows
				return nil
			})
			b.must(err)
			if statements = counter.N(); !more || rows < batchSize/2 {
				t.Errorf("%d rows, more: %t", rows, more)
			}
		})
		if statements != 5 || read > 5*batchSize {
			t.Errorf("%d statements read %d rows", statements, read)
		}
	})
}
