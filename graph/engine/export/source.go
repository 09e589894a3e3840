package export

import (
	"context"
	stdsql "database/sql"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// batchSize is how many resources are read at once. Parts end where batches end, so with another
// size a job that is taken over would split its file differently, which shows if the file is
// compressed.
const batchSize = 500

// maxPiece is about how many bytes are passed on at once.
const maxPiece = 256 << 10

type piece struct {
	body            []byte
	rows, resources int64
	// last is the last resource of the batch that ends with the piece; nil within a batch.
	last xid.ID
}

type source struct {
	store *ent.Store
	job   *db.Export
	// from and to bound the ids; to is excluded.
	from, to xid.ID
	// ids are the only ids to read; empty for all.
	ids []any
	// currency is the store's, and origin its scheme and host.
	currency, origin string
	// row writes the rows of a CSV file; nil for JSON.
	row *row
	// spare holds buffers to reuse.
	spare chan []byte
}

// newSource returns a source of the rows created up to the start of the job (contract, section 9).
func newSource(store *ent.Store, job *db.Export, currency, origin string) *source {
	s := &source{store: store, job: job, currency: currency, origin: origin, spare: make(chan []byte, 4)}
	s.from, s.to = Bounds(job)
	for _, id := range xid.Unpack(job.FilterIds) {
		s.ids = append(s.ids, id)
	}
	return s
}

// read sends the resources after a position, batch by batch, to the end.
func (s *source) read(ctx context.Context, after *xid.ID, pieces chan<- piece) (err error) {
	emit := func(p piece) error {
		select {
		case pieces <- p:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for more := true; more && err == nil; {
		after, more, err = s.batch(ctx, after, emit)
	}
	return err
}

// batch emits one batch, returns its last resource and reports whether more may follow.
func (s *source) batch(ctx context.Context, after *xid.ID, emit func(piece) error) (*xid.ID, bool, error) {
	b := &builder{spare: s.spare, emit: emit}
	var last *xid.ID
	var n int
	var more bool
	var err error
	switch s.job.Kind {
	case state.ExportOrders:
		last, n, err = s.orders(ctx, after, b)
	case state.ExportProducts:
		last, n, err = s.products(ctx, after, b)
	case state.ExportCustomers:
		last, n, err = s.customers(ctx, after, b)
	case state.ExportWebhookAttempts:
		last, more, err = s.attempts(ctx, after, b)
	default:
		err = fmt.Errorf("export: the kind %q is unknown", s.job.Kind)
	}
	if err == nil && b.used {
		err = b.hand(*last)
	}
	return last, more || n == batchSize, err
}

type builder struct {
	piece
	spare chan []byte
	emit  func(piece) error
	used  bool // something was added
}

// added counts what was just appended to the body, and passes on a full piece.
func (b *builder) added(rows int) error {
	b.rows += int64(rows)
	b.resources++
	b.used = true
	if len(b.body) < maxPiece {
		return nil
	}
	return b.hand(xid.Nil)
}

func (b *builder) hand(last xid.ID) error {
	b.last = last
	err := b.emit(b.piece)
	b.piece = piece{}
	select {
	case b.body = <-b.spare:
		b.body = b.body[:0]
	default:
	}
	return err
}

type filter struct {
	column string
	value  any
}

func (s *source) filters() (list []filter) {
	add := func(column string, value any) { list = append(list, filter{column, value}) }
	job := s.job
	if f := job.FilterCustomerID; f != nil {
		add("customer_id", *f)
	}
	if f := job.FilterStatus; f != nil {
		add("status", *f)
	}
	if f := job.FilterFinancialStatus; f != nil {
		add("financial_status", *f)
	}
	if f := job.FilterFulfillmentStatus; f != nil {
		add("fulfillment_status", *f)
	}
	if f := job.FilterConsent; f != nil {
		add("email_marketing", state.EmailSubscribed)
		if *f == state.ConsentConfirmed {
			add("email_marketing_source", state.ConsentAccount)
		}
	}
	return list
}

// states returns the ranges of the index of orders by their states that the job reads. It returns
// no columns if another index serves the job.
func (s *source) states() (r ent.Ranges) {
	job := s.job
	if job.Kind != state.ExportOrders || job.FilterCustomerID != nil || len(s.ids) > 0 ||
		job.FilterStatus == nil && job.FilterFinancialStatus == nil && job.FilterFulfillmentStatus == nil {
		return r
	}
	return ent.Ranges{Table: "orders", Index: "order_states_id",
		Columns: []string{"status", "financial_status", "fulfillment_status"},
		Values: ent.Product(oneOr(job.FilterStatus, state.OrderStatuses()),
			oneOr(job.FilterFinancialStatus, state.FinancialStatuses()),
			oneOr(job.FilterFulfillmentStatus, state.FulfillmentStatuses()))}
}

func oneOr[G, T ~string](given *G, all []T) (list []any) {
	if given != nil {
		return []any{string(*given)}
	}
	for _, v := range all {
		list = append(list, string(v))
	}
	return list
}

// index returns the index to walk if the job reads one range. MySQL needs it as a hint.
func (s *source) index() string {
	switch {
	case len(s.ids) > 0:
		return ent.Primary
	case s.job.FilterCustomerID != nil:
		return "order_store_id_customer_id_id"
	case s.job.FilterStatus != nil && s.job.Kind == state.ExportProducts:
		return "product_store_id_status_id"
	}
	return ent.Primary
}

func (s *source) next(after *xid.ID) func(*sql.Selector) {
	sign, from := ">=", s.from
	if after != nil {
		sign, from = ">", *after
	}
	if r := s.states(); len(r.Columns) > 0 {
		return r.Rows(s.job.StoreID, ent.Head{Bound: " AND o.id " + sign + " ? AND o.id < ?", Args: []any{from, s.to},
			Order: []string{"id"}, Limit: batchSize})
	}
	return func(q *sql.Selector) {
		ent.ForceIndex(s.index())(q)
		id := q.C("id")
		q.Where(sql.ExprP(id+" "+sign+" ? AND "+id+" < ?", from, s.to))
		for _, f := range s.filters() {
			q.Where(sql.EQ(q.C(f.column), f.value))
		}
		if len(s.ids) > 0 {
			q.Where(sql.ExprP(ent.Among(s.store.Dialect(), id, len(s.ids)), s.ids...))
		}
		q.OrderExpr(sql.Raw(id)).Limit(batchSize)
	}
}

// total counts the resources of the job. It is only used to show progress.
func (s *source) total(ctx context.Context) (n int64, err error) {
	if s.job.Kind == state.ExportWebhookAttempts {
		return s.totalAttempts(ctx)
	}
	table := string(s.job.Kind)
	query, args := "SELECT COUNT(*) FROM "+table+ent.IndexHint(s.store.Dialect(), table, s.index())+
		" WHERE store_id = ? AND id >= ? AND id < ?", []any{s.job.StoreID, s.from, s.to}
	for _, f := range s.filters() {
		query, args = query+" AND "+f.column+" = ?", append(args, f.value)
	}
	if len(s.ids) > 0 {
		query, args = query+" AND "+ent.Among(s.store.Dialect(), "id", len(s.ids)), append(args, s.ids...)
	}
	if r := s.states(); len(r.Columns) > 0 {
		query, args = r.Count(s.store.Dialect(), s.job.StoreID, " AND o.id >= ? AND o.id < ?", s.from, s.to)
	}
	return s.number(ctx, query, args...)
}

func (s *source) number(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = ent.Read(ctx, s.store.DB(ctx), func(rows *stdsql.Rows) error { return rows.Scan(&n) }, query, args...)
	return n, fault.Wrap("count "+string(s.job.Kind), err)
}

func (s *source) products(ctx context.Context, after *xid.ID, b *builder) (last *xid.ID, n int, err error) {
	query := s.store.DB(ctx).Product.Query()
	query.Modify(s.next(after))
	rows, err := query.Load(ctx)
	if err != nil {
		return after, 0, fmt.Errorf("read products: %w", err)
	}
	for some, err := range variants.Groups(rows) {
		if err == nil {
			err = s.addProducts(ctx, some, b)
		}
		if err != nil {
			return after, 0, err
		}
		last = &some[len(some)-1].ID
	}
	return last, len(rows), nil
}

// addProducts adds some products to a part. Their variants are in memory until the next call.
func (s *source) addProducts(ctx context.Context, some []*db.Product, b *builder) error {
	err := variants.Load(ctx, s.store.DB(ctx), some...)
	if err == nil {
		at := func(context.Context) (string, error) { return s.origin, nil }
		err = images.Load(ctx, s.store.DB(ctx), at, some...)
	}
	if err != nil {
		return fmt.Errorf("read products: %w", err)
	}
	for _, p := range some {
		if s.row != nil {
			b.body = cells(s.row, b.body, columnsOf(s.row, productColumns, sheetProducts), p)
			if b.body = end(s.row.productValues(b.body, p)); s.row.err != nil {
				return fmt.Errorf("write %s: %w", p.PublicID(), s.row.err)
			}
		} else {
			b.body = append(wire.AppendProduct(b.body, p), '\n')
		}
		if err := b.added(1); err != nil {
			return err
		}
		p.Variants = nil
	}
	return nil
}

func (s *source) customers(ctx context.Context, after *xid.ID, b *builder) (last *xid.ID, n int, err error) {
	query := s.store.DB(ctx).Customer.Query()
	query.Modify(s.next(after))
	rows, err := query.Load(ctx)
	if err != nil {
		return after, 0, fmt.Errorf("read customers: %w", err)
	}
	reachable, err := s.reachable(ctx, rows)
	if err != nil {
		return after, 0, err
	}
	for _, c := range rows {
		last = &c.ID
		if !reachable(c) {
			continue
		}
		if s.row == nil {
			b.body = append(wire.AppendCustomer(b.body, c, s.currency), '\n')
		} else {
			columns := columnsOf(s.row, customerColumns, sheetCustomers)
			b.body = end(s.row.values(cells(s.row, b.body, columns, customer{c, s.currency}), c.CustomFields))
			if s.row.err != nil {
				return last, 0, fmt.Errorf("write %s: %w", c.PublicID(), s.row.err)
			}
		}
		if err := b.added(1); err != nil {
			return last, 0, err
		}
	}
	return last, len(rows), nil
}

// reachable returns which customers a job exports. A job of subscribers leaves out those without an address
// or a usable account, and those whose address has unsubscribed since staff or a program recorded a consent.
func (s *source) reachable(ctx context.Context, rows []*db.Customer) (func(*db.Customer) bool, error) {
	if s.job.FilterConsent == nil {
		return func(*db.Customer) bool { return true }, nil
	}
	var addresses []string
	for _, c := range rows {
		if c.Email != nil {
			addresses = append(addresses, *c.Email)
		}
	}
	stopped, err := notify.StoppedMarketing(ctx, s.store.DB(ctx), addresses)
	return func(c *db.Customer) bool {
		return c.Email != nil && !stopped(*c.Email) &&
			(c.Status == state.CustomerGuest || c.Status == state.CustomerActive)
	}, err
}
