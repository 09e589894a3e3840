package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbexport "github.com/storefront-go/storefront/ent/db/export"
	"github.com/storefront-go/storefront/ent/db/notification"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/orderline"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// restore removes the apostrophe that made a cell safe.
func restore(cell string) string {
	rest := strings.TrimLeft(cell, "'")
	if len(rest) < len(cell) && rest != "" && strings.ContainsRune("=+-@\t\r", rune(rest[0])) {
		return cell[1:]
	}
	return cell
}

// table parses a CSV file with another reader.
func table(t *testing.T, file []byte) (columns []string, rows []map[string]string) {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(file))
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = restore(cells[i])
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

func unzip(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestOrdersCSV reads a file back and compares it with the database.
func TestOrdersCSV(t *testing.T) {
	storetest.Sequential(t)
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 1150)
		b.start(b.Engine)
		plain := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		zipped := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportGzip)
		row, zrow := b.wait(ctx, plain, state.ExportCompleted), b.wait(ctx, zipped, state.ExportCompleted)
		file, zfile := b.file(ctx, plain), b.file(ctx, zipped)
		for _, f := range []struct {
			row  *db.Export
			file []byte
		}{{row, file}, {zrow, zfile}} {
			sum := sha256.Sum256(f.file)
			if got := hex.EncodeToString(sum[:]); *f.row.Sha256 != got || f.row.SizeBytes != int64(len(f.file)) {
				t.Errorf("the row says %s and %d bytes, the file has %s and %d", *f.row.Sha256, f.row.SizeBytes, got,
					len(f.file))
			}
			if f.row.Parts < 3 {
				t.Errorf("%d parts, want several", f.row.Parts)
			}
		}
		if !bytes.Equal(unzip(t, zfile), file) {
			t.Error("the compressed file differs")
		}
		columns, rows := table(t, file)
		if diff := cmp.Diff(Columns(state.ExportOrders), columns); diff != "" {
			t.Errorf("columns (-want +got):\n%s", diff)
		}
		if int64(len(rows)) != row.RowsDone || row.ResourcesDone != 1150 || *row.ResourcesTotal != 1150 {
			t.Errorf("%d rows; the job says %d rows of %d orders", len(rows), row.RowsDone, row.ResourcesDone)
		}
		compareOrders(t, ctx, b, rows)
	})
}

// compareOrders compares rows with the database, read in another way.
func compareOrders(t *testing.T, ctx context.Context, b *bench, rows []map[string]string) {
	t.Helper()
	orders, err := b.store.DB(ctx).Order.Query().Order(order.ByID()).All(ctx)
	b.must(err)
	at := 0
	for _, o := range orders {
		lines, err := b.store.DB(ctx).OrderLine.Query().Where(orderline.OrderID(o.ID)).Order(orderline.ByPosition()).
			All(ctx)
		b.must(err)
		for i := range max(1, len(lines)) {
			got := rows[at]
			at++
			want := map[string]string{"order_id": o.PublicID(), "source": o.Source, "tags": string(o.Tags),
				"created_at": o.ID.Time().String()}
			if o.Email != nil {
				want["email"] = *o.Email
			}
			if a, _ := o.DecodedShippingAddress(); a != nil {
				want["shipping_name"], want["shipping_line1"], want["shipping_city"], want["shipping_phone"] = *a.Name,
					a.Line1, a.City, ""
			}
			if len(lines) > 0 {
				want["line_item_id"], want["line_item_title"] = lines[i].PublicID(), lines[i].Title
			} else {
				want["line_item_id"] = ""
			}
			for name, v := range want {
				if got[name] != v {
					t.Fatalf("%s of %s: %q, want %q", name, o.PublicID(), got[name], v)
				}
			}
		}
	}
	if at != len(rows) {
		t.Errorf("%d rows too many", len(rows)-at)
	}
}

// TestKindsAndFilters counts the rows of each kind of file, and compares JSON with the wire format.
func TestKindsAndFilters(t *testing.T) {
	storetest.Sequential(t)
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 700)
		b.products(ctx, 60)
		b.customers(ctx, 60)
		b.start(b.Engine)
		middle, err := b.store.DB(ctx).Order.Query().Where(order.Number(1001 + 350)).Only(ctx)
		b.must(err)
		from := func(c *db.ExportCreate) { c.SetCreatedFrom(middle.ID.Time()) }
		to := func(c *db.ExportCreate) { c.SetCreatedTo(middle.ID.Time()) }
		status := func(s string) func(*db.ExportCreate) {
			return func(c *db.ExportCreate) { c.SetFilterStatus(s) }
		}
		beside := b.shop()
		b.orders(beside, 1)
		foreign := b.store.DB(beside).Order.Query().FirstIDX(beside)
		first := b.store.DB(ctx).Order.Query().Where(order.Number(1002)).OnlyX(ctx) // completed
		ids := func(ids ...xid.ID) func(*db.ExportCreate) {
			return func(c *db.ExportCreate) { c.SetFilterIds(xid.Pack(ids)) }
		}
		products := b.store.DB(ctx).Product.Query().Limit(2).IDsX(ctx)
		customers := b.store.DB(ctx).Customer.Query().Limit(3).IDsX(ctx)
		for _, tc := range []struct {
			name string
			kind state.ExportKind
			edit []func(*db.ExportCreate)
			want int
		}{
			{name: "all orders", kind: state.ExportOrders, want: 700},
			{name: "from", kind: state.ExportOrders, edit: []func(*db.ExportCreate){from}, want: 350},
			{name: "to", kind: state.ExportOrders, edit: []func(*db.ExportCreate){to}, want: 350},
			{name: "status", kind: state.ExportOrders, edit: []func(*db.ExportCreate){status("open")}, want: 350},
			{name: "status and from", kind: state.ExportOrders,
				edit: []func(*db.ExportCreate){status("completed"), from}, want: 175},
			{name: "nothing", kind: state.ExportOrders, edit: []func(*db.ExportCreate){status("cancelled")}},
			{name: "ids", kind: state.ExportOrders, edit: []func(*db.ExportCreate){
				ids(middle.ID, foreign, first.ID, xid.New())}, want: 2},
			{name: "ids and status", kind: state.ExportOrders,
				edit: []func(*db.ExportCreate){ids(middle.ID, first.ID), status(string(middle.Status))}, want: 1},
			{name: "ids and from", kind: state.ExportOrders,
				edit: []func(*db.ExportCreate){ids(middle.ID, first.ID), from}, want: 1},
			{name: "another store's id", kind: state.ExportOrders, edit: []func(*db.ExportCreate){ids(foreign)}},
			{name: "products", kind: state.ExportProducts, want: 60},
			{name: "some products", kind: state.ExportProducts,
				edit: []func(*db.ExportCreate){ids(products...)}, want: 2},
			{name: "some customers", kind: state.ExportCustomers,
				edit: []func(*db.ExportCreate){ids(customers...)}, want: 3},
			{name: "drafts", kind: state.ExportProducts, edit: []func(*db.ExportCreate){status("draft")}, want: 30},
			{name: "customers", kind: state.ExportCustomers, want: 60},
			{name: "guests", kind: state.ExportCustomers, edit: []func(*db.ExportCreate){status("guest")}},
		} {
			t.Run(tc.name, func(t *testing.T) {
				id := b.ask(ctx, tc.kind, state.ExportJSONL, state.ExportPlain, tc.edit...)
				zip := b.ask(ctx, tc.kind, state.ExportCSV, state.ExportGzip, tc.edit...)
				row := b.wait(ctx, id, state.ExportCompleted)
				file := b.file(ctx, id)
				if n := bytes.Count(file, []byte("\n")); n != tc.want || row.RowsDone != int64(tc.want) ||
					*row.ResourcesTotal != int64(tc.want) {
					t.Errorf("%d lines, the job says %d of %d, want %d", n, row.RowsDone, *row.ResourcesTotal, tc.want)
				}
				b.wait(ctx, zip, state.ExportCompleted)
				columns, rows := table(t, unzip(t, b.file(ctx, zip)))
				ids := map[string]bool{}
				for _, r := range rows {
					ids[r[columns[0]]] = true
				}
				if len(ids) != tc.want {
					t.Errorf("the CSV has %d, want %d", len(ids), tc.want)
				}
			})
		}
	})
}

func TestProductsJSON(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.products(ctx, 40)
		b.variants(ctx, 5)
		b.image(ctx)
		b.start(b.Engine)
		id := b.ask(ctx, state.ExportProducts, state.ExportJSONL, state.ExportPlain)
		b.wait(ctx, id, state.ExportCompleted)
		rows, err := b.store.DB(ctx).Product.Query().Order(db.Asc("id")).All(ctx)
		b.must(err)
		b.must(variants.Load(ctx, b.store.DB(ctx), rows...))
		shop, err := ent.Only(b.store.DB(ctx).Store.Query().Load(ctx))
		b.must(err)
		b.must(images.Load(ctx, b.store.DB(ctx),
			func(context.Context) (string, error) { return "https://" + shop.Handle + ".test", nil }, rows...))
		if len(rows[0].Images) != 1 || len(rows[1].Images) != 0 {
			t.Errorf("images: %v, %v", rows[0].Images, rows[1].Images)
		}
		csv := b.ask(ctx, state.ExportProducts, state.ExportCSV, state.ExportPlain)
		b.wait(ctx, csv, state.ExportCompleted)
		_, cells := table(t, b.file(ctx, csv))
		for i, p := range rows {
			options := "[]"
			if p.Options != nil {
				options = string(p.Options)
			}
			if c := cells[i]; c["options"] != options || c["variants"] != string(wire.AppendVariants(nil, p)) {
				t.Errorf("the cells of %s: %s, %s", p.Title, c["options"], c["variants"])
			}
			if c := cells[i]; c["images"] != string(wire.AppendImages(nil, p)) || c["requires_shipping"] != "true" {
				t.Errorf("the cells of %s: %s, %s", p.Title, c["images"], c["requires_shipping"])
			}
		}
		if len(rows[4].Variants) != 2 || rows[5].Options != nil {
			t.Errorf("the variants of the first five: %v", rows[4].Variants)
		}
		var want []byte
		for _, p := range rows {
			want = append(wire.AppendProduct(want, p), '\n')
		}
		if got := b.file(ctx, id); !bytes.Equal(got, want) {
			t.Errorf("got %d bytes, want %d", len(got), len(want))
		}
	})
}

// TestTakenOver: a job whose owner is killed after any checkpoint produces the same bytes as an
// undisturbed one.
func TestTakenOver(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		for _, zip := range []state.ExportCompression{state.ExportPlain, state.ExportGzip} {
			ctx := b.shop()
			b.orders(ctx, 1500)
			calm := b.ask(ctx, state.ExportOrders, state.ExportCSV, zip)
			b.turn(ctx, calm, -1)
			want := b.file(ctx, calm)
			hit := b.ask(ctx, state.ExportOrders, state.ExportCSV, zip)
			b.edit(ctx, hit, func(u *db.ExportUpdate) { u.SetStartedAt(*b.row(ctx, calm).StartedAt) })
			for kill := range 4 {
				b.turn(ctx, hit, kill%2+1)
				if got := b.row(ctx, hit).Status; got != state.ExportRunning {
					t.Fatalf("after kill %d the job is %s", kill, got)
				}
			}
			b.turn(ctx, hit, -1)
			row := b.row(ctx, hit)
			if got := b.file(ctx, hit); !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes differ from the %d of an undisturbed run", zip, len(got), len(want))
			}
			if row.LeaseToken != 5 || row.Status != state.ExportCompleted || row.RowsDone != b.row(ctx, calm).RowsDone {
				t.Errorf("token %d, %s, %d rows", row.LeaseToken, row.Status, row.RowsDone)
			}
		}
	})
}

// turn claims a job as a new process and works on it. If parts is 0 or more, the process is killed
// after that many parts, in the middle of the next.
func (b *bench) turn(ctx context.Context, id xid.ID, parts int) {
	b.t.Helper()
	e := b.engine()
	c := candidate{key: key{viewer.From(ctx).Store, id}, token: b.row(ctx, id).LeaseToken,
		status: b.row(ctx, id).Status}
	started := b.row(ctx, id).StartedAt
	r, err := e.claim(ctx, c)
	if err != nil || r == nil {
		b.t.Fatalf("claim: %v, %v", r, err)
	}
	if started != nil && c.status == state.ExportQueued {
		b.edit(ctx, id, func(u *db.ExportUpdate) { u.SetStartedAt(*started) })
		r.job.StartedAt = started
	}
	if parts < 0 {
		e.work(ctx, r)
		return
	}
	before := r.job.Parts
	dying, kill := context.WithCancel(ctx)
	defer kill()
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for dying.Err() == nil && b.row(ctx, id).Parts < before+parts {
			pause(dying)
		}
		kill()
	}()
	if err := e.write(dying, r); err == nil {
		// It finished before the kill: all but the last part is recorded.
		r.out.abort()
	}
	kill()
	<-killed
	b.edit(ctx, id, func(u *db.ExportUpdate) { u.SetLeaseUntil(0).SetDueAt(micros.Now()) }) // the lease expires
}

// TestFenced: a process that has lost a job changes nothing of it.
func TestFenced(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 50)
		id := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		slow := b.engine()
		c := candidate{key: key{viewer.From(ctx).Store, id}, status: state.ExportQueued}
		r, err := slow.claim(ctx, c)
		b.must(err)
		b.must(slow.write(ctx, r)) // and then it hangs
		b.edit(ctx, id, func(u *db.ExportUpdate) { u.SetLeaseUntil(0) })
		b.turn(ctx, id, -1)
		want, file := b.row(ctx, id), b.file(ctx, id)
		if err := slow.complete(ctx, r); err == nil { // its parts are removed
			t.Error("completed")
		}
		if err := slow.checkpoint(ctx, r, xid.New()); !errors.Is(err, errLost) {
			t.Errorf("checkpoint: %v", err)
		}
		if err := slow.fail(ctx, r); !errors.Is(err, errLost) {
			t.Errorf("fail: %v", err)
		}
		b.must(slow.release(ctx, r, time.Second))
		if diff := cmp.Diff(want.Status, b.row(ctx, id).Status); diff != "" || !bytes.Equal(file, b.file(ctx, id)) {
			t.Errorf("the job was changed: %s", diff)
		}
		if n := b.row(ctx, id).EventSequence; n != 1 {
			t.Errorf("%d events, want 1", n)
		}
	})
}

// TestSlots: five jobs of a store run at once, across processes.
func TestSlots(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		var ids []xid.ID
		for range 8 {
			ids = append(ids, b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain))
		}
		claimed := 0
		for i, id := range ids {
			e := b.Engine
			if i%2 == 1 {
				e = b.engine()
			}
			r, err := e.claim(ctx, candidate{key: key{viewer.From(ctx).Store, id}, status: state.ExportQueued})
			b.must(err)
			if r != nil {
				claimed++
			}
		}
		if claimed != b.slots {
			t.Errorf("%d jobs run at once, want %d", claimed, b.slots)
		}
		n, err := b.store.DB(ctx).Export.Query().Where(dbexport.SlotNotNil()).Count(ctx)
		if err != nil || n != b.slots {
			t.Errorf("%d slots taken, %v", n, err)
		}
	})
}

// TestEnds follows jobs until their rows are deleted.
func TestEnds(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 300)
		done := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		b.turn(ctx, done, -1)
		row := b.row(ctx, done)
		if row.DueAt != *row.ExpiresAt || *row.ExpiresAt != row.CompletedAt.Add(Retention) || row.Slot != nil ||
			row.LeaseOwner != nil {
			t.Errorf("due %v, expires %v, completed %v", row.DueAt, row.ExpiresAt, row.CompletedAt)
		}
		b.edit(ctx, done, func(u *db.ExportUpdate) { u.SetExpiresAt(micros.Now() - 1) })
		if _, err := b.Open(ctx, viewer.From(ctx).Store, done); !errors.Is(err, ErrGone) {
			t.Errorf("a file past its time: %v", err)
		}
		b.edit(ctx, done, func(u *db.ExportUpdate) { u.SetDueAt(micros.Now()) })
		b.start(b.Engine)
		b.wait(ctx, done, state.ExportExpired)
		for b.row(ctx, done).Stored && ctx.Err() == nil {
			pause(ctx)
		}
		b.empty(ctx, done)
		b.edit(ctx, done, func(u *db.ExportUpdate) { u.SetDueAt(micros.Now()).SetDeletedAt(micros.Now()) })
		for ctx.Err() == nil {
			if n, _ := b.store.DB(ctx).Export.Query().Where(dbexport.ID(done)).Count(ctx); n == 0 {
				break
			}
			pause(ctx)
		}
	})
}

// empty checks that a job has no objects.
func (b *bench) empty(ctx context.Context, id xid.ID) {
	b.t.Helper()
	for o, err := range b.blobs.List(ctx, folder(viewer.From(ctx).Store, id)) {
		b.t.Errorf("left behind: %s, %v", o.Key, err)
	}
}

// TestFails: a job that cannot be written is retried, and then given up with an event and a notice.
func TestFails(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 10)
		id := b.ask(ctx, state.ExportOrders, state.ExportCSV, state.ExportPlain)
		b.blobs.Close()
		for try := 1; try <= maxFailures; try++ {
			b.turn(ctx, id, -1)
			row := b.row(ctx, id)
			if try < maxFailures &&
				(row.Status != state.ExportRunning || row.Failures != try || row.DueAt <= micros.Now()) {
				t.Fatalf("try %d: %s, %d failures, due %v", try, row.Status, row.Failures, row.DueAt)
			}
		}
		row := b.row(ctx, id)
		if row.Status != state.ExportFailed || row.ErrorCode == nil || row.ErrorMessage == nil ||
			row.CompletedAt == nil || row.Slot != nil {
			t.Fatalf("%s, %v", row.Status, row.ErrorCode)
		}
		n, err := b.store.DB(ctx).Notification.Query().Where(notification.ResourceID(id)).Count(ctx)
		if err != nil || n != 1 || row.EventSequence != 1 {
			t.Errorf("%d notices, %d events, %v", n, row.EventSequence, err)
		}
	})
}

// TestNewRowsStayOut: rows created after the start are in no file, and an export during writes has
// every row that existed.
func TestNewRowsStayOut(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		ctx := b.shop()
		b.orders(ctx, 600)
		id := b.ask(ctx, state.ExportOrders, state.ExportJSONL, state.ExportPlain)
		e := b.engine()
		r, err := e.claim(ctx, candidate{key: key{viewer.From(ctx).Store, id}, status: state.ExportQueued})
		b.must(err)
		late := xid.At(*r.job.StartedAt + 1)
		b.must(b.store.InTx(ctx, func(ctx context.Context) error {
			return b.store.DB(ctx).Order.Create().SetID(late).SetNumber(9999).SetStatus(state.OrderOpen).
				SetFinancialStatus(state.FinancialPending).SetFulfillmentStatus(state.FulfillmentUnfulfilled).
				SetCurrency("EUR").SetSubtotalMinor(0).SetDiscountMinor(0).SetShippingMinor(0).SetTaxMinor(0).
				SetTotalMinor(0).SetPaidMinor(0).SetRefundedMinor(0).SetTags([]byte("[]")).SetSource("x").
				SetPlacedAt(late.Time()).SetUpdatedAt(late.Time()).Exec(ctx)
		}))
		e.work(ctx, r)
		if row := b.row(ctx, id); row.RowsDone != 600 ||
			bytes.Contains(b.file(ctx, id), []byte(xid.Order.Format(late))) {
			t.Errorf("%d rows", row.RowsDone)
		}
	})
}
