package baseline

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// PlacePath is where the host of a store places a cart, as in the service.
const PlacePath = "/checkout/place"

const (
	// placedLines is how many lines a cart has that the baseline places.
	placedLines = 3
	// numberBlock is how many order numbers are taken at once, as in the service.
	numberBlock = 20
	// cartLife is how long a cart is kept, in microseconds, as in the service.
	cartLife = 30 * 24 * 60 * 60 * 1_000_000
	// holdLife is how long the goods wait for a bank transfer, in microseconds, as in the service.
	holdLife = 14 * 24 * 60 * 60 * 1_000_000
	// spread is how much later a change is than the one before, as in the service.
	spread = 16
)

// numbers are those of orders that were taken and not used yet.
type numbers struct {
	mu        sync.Mutex
	next, end int64
}

// placement is one order on its way.
type placement struct {
	*handler
	ctx   context.Context
	tx    *sql.Tx
	store xid.ID
	token digest.Sum
	total int64
	now   int64

	cart     placedCart
	currency string
	language string
	lines    []placedLine
	tax      price.Tax
	rate     document.ShippingRate
	customer xid.ID
	order    orderRow
}

// place answers POST /checkout/place with the service's statements. It computes the cart
// with the service's function, and checks the sum and that the cart lacks nothing.
func (h *handler) place(w http.ResponseWriter, r *http.Request) {
	id, err := h.placeOne(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Location", id)
	w.WriteHeader(http.StatusSeeOther)
}

func (h *handler) placeOne(r *http.Request) (string, error) {
	p := &placement{handler: h, ctx: r.Context(), now: int64(micros.Now())}
	if err := p.read(r); err != nil {
		return "", err
	}
	if err := p.look(); err != nil {
		return "", err
	}
	number, err := p.number()
	if err != nil {
		return "", err
	}
	if err := p.compute(number); err != nil {
		return "", err
	}
	if p.tx, err = h.Store.RawTx(p.ctx); err != nil {
		return "", err
	}
	defer p.tx.Rollback()
	if err := p.write(); err != nil {
		return "", err
	}
	if err := p.tx.Commit(); err != nil {
		return "", err
	}
	return link.OrderRoot + h.Links.OrderToken(p.store, p.order.id), nil
}

// read takes the request apart.
func (p *placement) read(r *http.Request) (err error) {
	if p.store, err = p.storeOf(r.Context(), r.Host); err != nil {
		return err
	}
	cookie, err := r.Cookie("cart")
	if err != nil {
		return err
	}
	p.token, _ = digest.OfToken(cookie.Value)
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if err != nil {
		return err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return err
	}
	p.total, err = strconv.ParseInt(form.Get("total"), 10, 64)
	return err
}

// storeOf is the store of a host. Like the service, it asks once for each.
func (h *handler) storeOf(ctx context.Context, host string) (id xid.ID, err error) {
	handle, _, _ := strings.Cut(host, ".")
	if known, ok := h.hosts.Load(handle); ok {
		return known.(xid.ID), nil
	}
	err = h.Store.Raw().QueryRowContext(ctx, "SELECT store_id FROM store_handles WHERE handle = ?", handle).Scan(&id)
	if err == nil {
		h.hosts.Store(handle, id)
	}
	return id, err
}

// number takes the next number of the store, as the service does: twenty at once, in a
// transaction of their own.
func (p *placement) number() (int64, error) {
	known, _ := p.taken.LoadOrStore(p.store, &numbers{})
	n := known.(*numbers)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next == n.end {
		tx, err := p.Store.RawTx(p.ctx)
		if err != nil {
			return 0, err
		}
		defer tx.Rollback()
		if _, err := tx.ExecContext(p.ctx, p.sql.place.takeNumbers, numberBlock, p.store[:], p.store[:]); err != nil {
			return 0, err
		}
		row := tx.QueryRowContext(p.ctx, p.sql.place.readNumber, p.store[:], p.store[:])
		if err := row.Scan(storeFields(map[string]any{"next_number": &n.end})...); err != nil {
			return 0, err
		}
		if err := tx.Commit(); err != nil {
			n.end = n.next
			return 0, err
		}
		n.next = n.end - numberBlock
	}
	n.next++
	return n.next - 1, nil
}

// exec runs a statement that changes one row at least.
func (p *placement) exec(text string, args ...any) error {
	result, err := p.tx.ExecContext(p.ctx, text, args...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errors.New("nothing was changed by "+text), err)
	}
	return nil
}

// write runs the statements that change anything, in the service's order.
func (p *placement) write() error {
	t, o := &p.sql.place, &p.order
	c := &p.cart
	if err := p.exec(t.endCart, p.now+cartLife, c.version+1, p.now, o.id[:], c.id[:], c.version,
		p.store[:]); err != nil {
		return err
	}
	if err := p.exec(t.insertOrder, o.placedArgs()...); err != nil {
		return err
	}
	for _, l := range p.byKey() {
		if err := p.exec(t.takeStock, o.updatedAt-spread, spread, o.updatedAt, -l.quantity, p.store[:], l.product[:],
			l.quantity); err != nil {
			return err
		}
	}
	for _, s := range p.rest() {
		if err := p.exec(s.text, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// rest is what is written once the goods are taken: the customer's figures, and what tells of
// the order.
func (p *placement) rest() []step {
	o := &p.order
	event, audit, notice := xid.New(), xid.New(), xid.New()
	object := appendOrder(make([]byte, 0, 4096), o)
	body := appendEvent("order.created", xid.Order, "order", event, p.store, o.id, o.version, o.sequence, object)
	return []step{
		{p.sql.place.countOrder, []any{o.updatedAt - spread, spread, o.updatedAt, o.placedAt, o.placedAt, p.store[:],
			p.customer[:], "redacted"}},
		{p.sql.mark, markArgs(p.store, "o", o.id)},
		{insertHold, []any{p.store[:], bucket.Of(p.store), p.now + holdLife, o.id[:]}},
		{insertNotice, []any{p.store[:], "info", "New order #" + strconv.FormatInt(o.number, 10), o.summary(), "order",
			o.id[:], notice[:]}},
		{insertAudit, []any{p.store[:], audit[:], "system", nil, "shopper", "order.place", "order", o.id[:], nil, nil,
			nil, nil}},
		{insertEvent, []any{p.store[:], event[:], "order.created", "order", o.id[:], o.sequence,
			eventbody.Pack(body)}},
		{insertOutbox, []any{p.store[:], event[:], bucket.Of(p.store)}},
	}
}

// countNews counts the order among those of which the store's people are told, in a transaction
// of its own. The service has one key for each store and tells of a limited number in an hour;
// here each order has a key of its own, so none is ever refused.
func (p *placement) countNews() error {
	tx, err := p.Store.RawTx(p.ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	const every = int64(time.Hour/time.Microsecond) / limit.OrderNews
	var key digest.Sum
	rand.Read(key[:]) // never fails
	latest := p.now + (limit.OrderNews-1)*every
	args := []any{key[:], p.now + every, latest, p.now, every, p.now + every}
	if p.Store.Dialect() != dialect.MySQL {
		args = append(args, latest)
	}
	if _, err := tx.ExecContext(p.ctx, p.sql.place.countNews, args...); err != nil {
		return err
	}
	return tx.Commit()
}
