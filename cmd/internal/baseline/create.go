package baseline

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// write is one POST /products on its way: the row, and what goes with it.
type write struct {
	productRow
	viewer          *viewer.Viewer
	keyHash, finger [sha256.Size]byte
	request         string
}

// read takes the request apart. The fingerprint is the body's hash.
func read(r *http.Request, v *viewer.Viewer) (*write, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	var in struct {
		Title    string  `json:"title"`
		Price    int64   `json:"price_minor"`
		Currency string  `json:"currency"`
		SKU      *string `json:"sku"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	w := &write{viewer: v, finger: sha256.Sum256(body)}
	w.keyHash = sha256.Sum256(append(append(v.Principal[:], 0), r.Header.Get("Idempotency-Key")...))
	w.id, w.storeID, w.version, w.sequence = xid.New(), v.Store, 1, 1
	w.updatedAt = int64(w.id.Time())
	w.title, w.handle = in.Title, strings.ToLower(strings.ReplaceAll(in.Title, " ", "-"))
	w.status, w.price, w.currency, w.tags, w.ships = "draft", in.Price, in.Currency, []byte("[]"), true
	if in.SKU != nil {
		w.sku = sql.NullString{String: *in.SKU, Valid: true}
	}
	w.request = xid.Request.Format(xid.New())
	return w, nil
}

// step is one statement of a transaction.
type step struct {
	text string
	args []any
}

// create answers POST /products with the service's statements: claim,
// product, audit, event, its place in the outbox, answer.
func (h *handler) create(rw http.ResponseWriter, r *http.Request, v *viewer.Viewer) error {
	return h.write(rw, r, v, func(w *write, object []byte) []step {
		id := xid.New()
		return []step{
			{insertEvent, w.eventArgs(id, object)},
			{insertOutbox, []any{v.Store[:], id[:], bucket.Of(v.Store)}},
		}
	})
}

// silent does all that create does but for the event and its place in the outbox.
func (h *handler) silent(rw http.ResponseWriter, r *http.Request, v *viewer.Viewer) error {
	return h.write(rw, r, v, func(*write, []byte) []step { return nil })
}

// write runs the transaction of POST /products; events gives the statements that
// write its event.
func (h *handler) write(
	rw http.ResponseWriter, r *http.Request, v *viewer.Viewer, events func(w *write, object []byte) []step,
) error {
	w, err := read(r, v)
	if err != nil {
		return err
	}
	b := h.buffer()
	*b = appendProduct(*b, &w.productRow)
	tx, err := h.Store.RawTx(r.Context())
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, s := range slices.Concat([]step{
		{insertClaim, []any{v.Store[:], w.keyHash[:16], w.keyHash[:], w.finger[:], int64(micros.Now()), 0, nil, nil}},
		{insertProduct, w.productArgs()},
		{h.sql.mark, markArgs(v.Store, "p", w.id)},
		{insertAudit, w.auditArgs()},
	}, events(w, *b), []step{
		{updateAnswer, []any{http.StatusCreated, *b, nil, v.Store[:], w.keyHash[:16]}},
	}) {
		if _, err := tx.ExecContext(r.Context(), s.text, s.args...); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	rw.Header().Set("Location", r.URL.Path+"/"+xid.Product.Format(w.id))
	return h.send(rw, http.StatusCreated, b)
}

// insert answers POST /raw/products with three inserts: product, event and key
// with its answer.
func (h *handler) insert(rw http.ResponseWriter, r *http.Request, v *viewer.Viewer) error {
	w, err := read(r, v)
	if err != nil {
		return err
	}
	b := h.buffer()
	*b = appendProduct(*b, &w.productRow)
	tx, err := h.Store.RawTx(r.Context())
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(r.Context(), insertProduct, w.productArgs()...); err != nil {
		return err
	}
	_, err = tx.ExecContext(r.Context(), insertAnswered, v.Store[:], w.keyHash[:], w.finger[:], int64(micros.Now()),
		http.StatusCreated, *b, w.keyHash[:16])
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(r.Context(), insertEvent, w.eventArgs(xid.New(), *b)...); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return h.send(rw, http.StatusCreated, b)
}

func (w *write) productArgs() []any {
	return []any{w.storeID[:], w.version, w.sequence, w.updatedAt, w.title, w.handle, w.status, w.price, w.currency,
		w.sku, w.tags, w.ships, w.pictures, w.id[:]}
}

func (w *write) auditArgs() []any {
	id := xid.New()
	return []any{w.storeID[:], id[:], string(w.viewer.Kind), w.viewer.Actor[:], w.viewer.Name, "product.create",
		"product", w.id[:], nil, nil, nil, w.request}
}

// eventArgs are the arguments with which the event is inserted.
func (w *write) eventArgs(id xid.ID, object []byte) []any {
	b := appendEvent("product.created", xid.Product, "product", id, w.storeID, w.id, w.version, w.sequence, object)
	return []any{w.storeID[:], id[:], "product.created", "product", w.id[:], w.sequence,
		eventbody.Pack(b)}
}

// appendEvent writes the delivery's body of contract section 8.
func appendEvent(kind string, k xid.Kind, name string, id, store, of xid.ID, version, sequence int64,
	object []byte) []byte {
	b := make([]byte, 0, 400+len(object))
	b = appendID(append(b, `{"event_id":`...), xid.Event, id[:])
	b = appendPlain(append(b, `,"type":`...), kind)
	b = appendTime(append(b, `,"api_version":"v1","occurred_at":`...), int64(id.Time()))
	b = appendID(append(b, `,"store_id":`...), xid.Store, store[:])
	b = appendPlain(append(b, `,"resource":{"type":`...), name)
	b = appendID(append(b, `,"id":`...), k, of[:])
	b = appendInt(append(b, `,"version":`...), version)
	b = appendInt(append(b, `},"sequence":`...), sequence)
	b = append(append(b, `,"changed_fields":null,"data":{"object":`...), object...)
	return append(b, `},"payload_omitted":false}`...)
}
