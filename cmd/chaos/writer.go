package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/storefront-go/storefront/rest"
)

// crew writes with idempotency keys, reads, and records what it observes.
type crew struct {
	*client
	key, staff string // credentials
	order      string // the order that gets all notes

	mu       sync.Mutex
	writes   []*Write
	ids      map[string][]string // acknowledged ids by list
	readings []Reading
}

func unexpected(ctx context.Context, what string, status int, body []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
	return fmt.Errorf("%s: answered %d: %.300s", what, status, body)
}

// write sends a write until it is answered, and decodes the answer.
func (c *crew) write(ctx context.Context, w *Write, into any) error {
	c.mu.Lock()
	c.writes = append(c.writes, w)
	c.mu.Unlock()
	w.request.Key = w.Key
	tries, status, h, body := c.insist(ctx, w.request)
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.Tries = tries; status == 0 {
		return unexpected(ctx, w.Kind, 0, nil)
	}
	w.First = answer(status, h, body)
	if status/100 != 2 {
		if w.Kind == "refusal" {
			return nil
		}
		return unexpected(ctx, w.Kind, status, body)
	}
	return json.Unmarshal(body, into)
}

// made records what an acknowledged write created, and in which list it appears.
func (c *crew) made(w *Write, id, list string, events ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.Resource, w.Events = id, events
	if list != "" {
		c.ids[list] = append(c.ids[list], id)
	}
}

// author writes chapters until until ends, and finishes the one it has begun.
func (c *crew) author(ctx, until context.Context, random *rand.Rand) error {
	for n := 0; until.Err() == nil; n++ {
		if err := c.chapter(ctx, n, text(random)); err != nil {
			return err
		}
		pause(until, time.Duration(20+random.IntN(40))*time.Millisecond)
	}
	return nil
}

// biller creates orders until until ends. Each has an invoice.
func (c *crew) biller(ctx, until context.Context, random *rand.Rand) error {
	for until.Err() == nil {
		if err := c.sale(ctx, text(random)); err != nil {
			return err
		}
	}
	return nil
}

// text returns a key that is unique in the campaign.
func text(random *rand.Rand) string {
	return fmt.Sprintf("c%016x%016x", random.Uint64(), random.Uint64())
}

// chapter creates a product and changes it, and sometimes an order, a note or a refused write.
func (c *crew) chapter(ctx context.Context, n int, mark string) error {
	w := &Write{Key: mark, Kind: "product", Mark: mark, request: c.post("/products",
		fmt.Sprintf(`{"title":"Chaos","price_minor":1450,"currency":"EUR","sku":%q}`, mark))}
	var product struct{ ID string }
	if err := c.write(ctx, w, &product); err != nil {
		return err
	}
	c.made(w, product.ID, "/products", "product.created")
	for i, change := range []string{`productUpdate(id:$id,expectedVersion:1,input:{title:"2"})`,
		`productPublish(id:$id,expectedVersion:2)`}[:n%3] {
		events := []string{"product.updated", "product.published"}[:i+1]
		if _, err := c.mutate(ctx, fmt.Sprint(mark, i), "change", "", change+`{userErrors{message}}`, product.ID,
			events...); err != nil {
			return err
		}
	}
	switch n % 4 {
	case 0:
		return c.sale(ctx, mark+"o")
	case 1:
		w := &Write{Key: mark + "n", Kind: "note", request: c.post("/orders/"+c.order+"/notes", `{"body":"chaos"}`)}
		if err := c.write(ctx, w, &struct{}{}); err != nil {
			return err
		}
		c.made(w, c.order, "", "order.note_added")
	case 2:
		w := &Write{Key: mark + "r", Kind: "refusal", Mark: mark + "r", request: c.post("/products",
			fmt.Sprintf(`{"title":"","price_minor":-1,"currency":"EUR","sku":%q}`, mark+"r"))}
		return c.write(ctx, w, nil)
	}
	return nil
}

func (c *crew) sale(ctx context.Context, mark string) error {
	w, err := c.mutate(ctx, mark, "order", mark, fmt.Sprintf(
		`orderCreate(input:{tags:[%q],lines:[{title:"x",quantity:1,unitPriceMinor:100}]}){order{id} userErrors{message}}`,
		mark), "", "order.created")
	if err != nil {
		return err
	}
	c.made(w, w.Resource, "/orders", w.Events...)
	_, err = c.mutate(ctx, mark+"p", "payment", "", `orderMarkPaid(id:$id,expectedVersion:1){userErrors{message}}`,
		w.Resource, "order.paid")
	return err
}

func (c *crew) post(path, body string) request {
	return request{As: c.key, Method: http.MethodPost, Path: rest.Base + path, Body: body}
}

func (c *crew) mutate(ctx context.Context, key, kind, mark, field, id string, events ...string) (*Write, error) {
	head, variables := "mutation", map[string]string{}
	if id != "" {
		head, variables["id"] = "mutation($id:ID!)", id
	}
	body, err := json.Marshal(map[string]any{"query": head + "{done:" + field + "}", "variables": variables})
	if err != nil {
		return nil, err
	}
	w := &Write{Key: key, Kind: kind, Mark: mark,
		request: request{As: c.staff, Method: http.MethodPost, Path: "/graphql", Body: string(body)}}
	var answer struct {
		Data struct {
			Done struct {
				Order      *struct{ ID string }
				UserErrors []struct{ Message string }
			}
		}
		Errors []struct{ Message string }
	}
	if err := c.write(ctx, w, &answer); err != nil {
		return nil, err
	}
	if len(answer.Errors) > 0 || len(answer.Data.Done.UserErrors) > 0 {
		return nil, fmt.Errorf("%s %s is refused: %+v", kind, key, answer)
	}
	if answer.Data.Done.Order != nil {
		id = answer.Data.Done.Order.ID
	}
	c.made(w, id, "", events...)
	return w, nil
}

func (c *crew) again(ctx context.Context, writes []*Write) {
	work := make(chan *Write)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			for w := range work {
				if _, status, h, body := c.insist(ctx, w.request); status > 0 {
					c.mu.Lock()
					w.Replays = append(w.Replays, answer(status, h, body))
					c.mu.Unlock()
				}
			}
		})
	}
	for _, w := range writes {
		work <- w
	}
	close(work)
	group.Wait()
}

func (c *crew) answered(n int) (list []*Write) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range slices.Backward(c.writes) {
		if w.First.Status > 0 && (n == 0 || len(list) < n) {
			list = append(list, w)
		}
	}
	return list
}

func (c *crew) known(list string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.ids[list])
}

func (c *crew) noted(r Reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readings = append(c.readings, r)
}

func (c *crew) reader(ctx, until context.Context) error {
	for n := 0; until.Err() == nil; n++ {
		path := []string{"/products", "/orders"}[n%2]
		before := c.known(path)
		var ids []string
		err := c.list(ctx, c.key, path, func(page json.RawMessage) error {
			var rows []struct{ ID string }
			err := json.Unmarshal(page, &rows)
			for _, r := range rows {
				ids = append(ids, r.ID)
			}
			pause(until, 30*time.Millisecond)
			return err
		})
		if err != nil {
			return err
		}
		c.noted(read("a walk of "+path, ids, before))
	}
	return nil
}

func (c *crew) exporter(ctx, until context.Context, random *rand.Rand) error {
	for until.Err() == nil {
		if err := c.export(ctx, text(random)); err != nil {
			return err
		}
		pause(until, 3*time.Second)
	}
	return nil
}

type job struct {
	ID, Status, Sha256 string
	DownloadURL        string `json:"download_url"`
}

func (c *crew) export(ctx context.Context, key string) error {
	before := c.known("/products")
	w := &Write{Key: key, Kind: "export", request: c.post("/exports", `{"kind":"products","format":"csv"}`)}
	var j job
	if err := c.write(ctx, w, &j); err != nil {
		return err
	}
	for j.Status != "completed" {
		_, status, _, body := c.insist(ctx, request{As: c.key, Method: http.MethodGet,
			Path: rest.Base + "/exports/" + j.ID})
		if err := json.Unmarshal(body, &j); err != nil || status != http.StatusOK {
			return errors.Join(err, unexpected(ctx, "an export", status, body))
		}
		if j.Status == "failed" || j.Status == "cancelled" {
			c.noted(Reading{Of: "export " + j.ID, Mistake: "it is " + j.Status})
			return nil
		}
		pause(ctx, 100*time.Millisecond)
	}
	u, err := url.Parse(j.DownloadURL)
	if err != nil {
		return err
	}
	_, status, _, file := c.insist(ctx, request{Method: http.MethodGet, Path: u.RequestURI()})
	if status != http.StatusOK {
		return unexpected(ctx, "a file", status, file)
	}
	c.noted(readFile(j, file, before))
	return nil
}

// readFile checks the file of an export against its job and the expected ids.
func readFile(j job, file []byte, before []string) Reading {
	of := "export " + j.ID
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if sum := sha256.Sum256(file); err != nil || len(rows) == 0 || hex.EncodeToString(sum[:]) != j.Sha256 {
		return Reading{Of: of, Mistake: fmt.Sprintf("its file of %d bytes is not what the job says: %v", len(file), err)}
	}
	var ids []string
	for _, row := range rows[1:] {
		ids = append(ids, row[0])
	}
	return read(of, ids, before)
}
