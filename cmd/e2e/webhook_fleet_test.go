package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/demo"
)

// dispatcher starts a process that only delivers, on the data of s.
func dispatcher(t *testing.T, s settings) *program {
	t.Helper()
	args := []string{"dispatch", "--admin-addr", "127.0.0.1:0", "--data", s.Data, "--allow-loopback-webhooks"}
	for i, arg := range s.Args {
		if arg == "--database" {
			args = append(args, arg, s.Args[i+1])
		}
	}
	p := spawn(t, s, args...)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p.Admin = p.out.await(ctx, t, p, adminLine)
	p.awaitStatus(ctx, t, p.Admin+"/readyz", http.StatusOK)
	return p
}

// plus is the settings with more arguments.
func (s settings) plus(args ...string) settings {
	s.Args = append(append([]string(nil), s.Args...), args...)
	return s
}

// register creates a book's endpoint with REST.
func (p *program) register(t *testing.T, key string, b *book, events ...string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"url": b.sink.URL + b.path, "events": events, "description": b.path})
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		ID, Secret string
		Events     []string
	}
	p.send(t, request{As: key, Path: base + "/webhooks", Body: string(body)}).
		want(t, http.StatusCreated, "").decode(t, &made)
	if made.ID == "" || !strings.HasPrefix(made.Secret, "whsec_") {
		t.Fatalf("the endpoint was not created: %+v", made)
	}
	b.sink.mu.Lock()
	defer b.sink.mu.Unlock()
	b.id, b.secrets, b.events = made.ID, []string{made.Secret}, made.Events
}

// Events by their resource.
var (
	productEvents = []string{"product.created", "product.updated", "product.published", "product.unpublished",
		"product.archived", "product.deleted"}
	customerEvents = []string{"customer.created", "customer.updated", "customer.redacted"}
	orderEvents    = []string{"order.created", "order.updated", "order.paid", "order.partially_paid",
		"order.refunded", "order.fulfilled", "order.partially_fulfilled", "order.cancelled",
		"order.completed", "order.note_added"} // as in the previous release
	salesEvents = slices.Concat(productEvents, orderEvents)
)

// journal counts acknowledged events by resource and type.
type journal struct {
	mu   sync.Mutex
	want map[string]map[string]int // resource, type
}

func (j *journal) add(resource string, types ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.want == nil {
		j.want = map[string]map[string]int{}
	}
	if j.want[resource] == nil {
		j.want[resource] = map[string]int{}
	}
	for _, name := range types {
		j.want[resource][name]++
	}
}

// of returns a copy of the journal with only some types.
func (j *journal) of(types []string) map[string]map[string]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := map[string]map[string]int{}
	for resource, want := range j.want {
		part := map[string]int{}
		for _, name := range types {
			if want[name] > 0 {
				part[name] = want[name]
			}
		}
		if len(part) > 0 {
			found[resource] = maps.Clone(part)
		}
	}
	return found
}

// total counts events by type.
func (j *journal) total(types []string) map[string]int {
	sum := map[string]int{}
	for _, part := range j.of(types) {
		for name, n := range part {
			sum[name] += n
		}
	}
	return sum
}

// crew writes through the running processes, and keeps the journal.
type crew struct {
	journal
	apis  []atomic.Pointer[program]
	turn  atomic.Int64
	store demo.Store
	order string // the order that gets all notes
	pace  time.Duration
	ended atomic.Bool
	group sync.WaitGroup
	late  atomic.Int64 // writes that needed more than one request
	// flawed is a process whose failures are retried.
	flawed *program
}

// hire creates a crew for a store of the processes' demo.
func hire(t *testing.T, pace time.Duration, apis ...*program) *crew {
	t.Helper()
	store := apis[0].demo(t).Stores[0]
	c := &crew{apis: make([]atomic.Pointer[program], len(apis)), store: store, pace: pace,
		order: apis[0].firstOrder(t, store.Keys["all"])}
	for i, p := range apis {
		c.apis[i].Store(p)
	}
	return c
}

// begin starts n authors, which write until [crew.rest].
func (c *crew) begin(t *testing.T, n int) {
	for range n {
		c.group.Go(func() {
			for n := 0; !c.ended.Load(); n++ {
				c.chapter(t, n)
			}
		})
	}
	t.Cleanup(c.rest)
}

// rest stops the writing once everything that was begun is acknowledged.
func (c *crew) rest() {
	c.ended.Store(true)
	c.group.Wait()
}

// chapter creates a product and changes it, and sometimes an order or a note.
func (c *crew) chapter(t *testing.T, n int) {
	var product struct{ ID string }
	if !c.insist(t, request{As: c.store.Keys["all"], Path: base + "/products",
		Body: draft("Crew", rand.Text())}, &product) {
		return
	}
	c.add(product.ID, "product.created")
	for i, change := range []string{`productUpdate(id:$id,expectedVersion:1,input:{title:"2"})`,
		`productPublish(id:$id,expectedVersion:2)`, `productUpdate(id:$id,expectedVersion:3,input:{title:"4"})`} {
		if !c.mutate(t, change+`{userErrors{message}}`, product.ID, nil) {
			return
		}
		c.add(product.ID, "product.updated")
		if i == 1 {
			c.add(product.ID, "product.published")
		}
	}
	var note struct{ ID string }
	if c.insist(t, request{As: c.store.Keys["all"], Path: base + "/orders/" + c.order +
		"/notes", Body: `{"body":"crew"}`}, &note) {
		c.add(c.order, "order.note_added")
	}
	if n%2 == 0 {
		c.sale(t)
	}
}

// sale creates an order that is paid.
func (c *crew) sale(t *testing.T) {
	var made struct {
		Done struct{ Order struct{ ID string } }
	}
	if !c.mutate(t, `orderCreate(input:{lines:[{title:"x",quantity:1,unitPriceMinor:100}]}){order{id} `+
		`userErrors{message}}`, "", &made) {
		return
	}
	id := made.Done.Order.ID
	c.add(id, "order.created")
	if c.mutate(t, `orderMarkPaid(id:$id,expectedVersion:1){userErrors{message}}`, id, nil) {
		c.add(id, "order.paid")
	}
}

// mutate sends a mutation of one field until it is acknowledged.
func (c *crew) mutate(t *testing.T, field, id string, data any) bool {
	head, variables := "mutation", map[string]any{}
	if id != "" {
		head, variables["id"] = "mutation($id:ID!)", id
	}
	body, err := json.Marshal(map[string]any{"query": head + "{done:" + field + "}", "variables": variables})
	if err != nil {
		t.Error(err)
		return false
	}
	var answer struct {
		Data   json.RawMessage
		Errors []json.RawMessage
	}
	if !c.insist(t, request{As: c.store.StaffToken, Method: http.MethodPost,
		Path: "/graphql", Body: string(body)}, &answer) {
		return false
	}
	var done struct {
		Done struct{ UserErrors []struct{ Message string } }
	}
	if err := json.Unmarshal(answer.Data, &done); err != nil ||
		len(answer.Errors) > 0 || len(done.Done.UserErrors) > 0 {
		t.Errorf("%s: %v %s %+v", field, err, answer.Errors, done.Done.UserErrors)
		return false
	}
	return data == nil || json.Unmarshal(answer.Data, data) == nil
}

// insist sends a write with one key to any running process until it is acknowledged. So every write
// is done once.
func (c *crew) insist(t *testing.T, r request, data any) bool {
	r.Key = rand.Text()
	limit := time.Now().Add(patience)
	for tries := 0; ; tries++ {
		p := c.apis[int(c.turn.Add(1))%len(c.apis)].Load()
		a, err := p.do(t, r)
		switch {
		case err == nil && a.acknowledges():
			if tries > 0 {
				c.late.Add(1)
			}
			<-time.After(c.pace)
			if err := json.Unmarshal(a.Body, data); err != nil {
				t.Errorf("decode %.300s: %v", a.Body, err)
				return false
			}
			return true
		case err == nil && !a.transient() && (p != c.flawed || a.code() != "internal_error"):
			t.Errorf("%s %s: %d %.500s", r.Method, r.Path, a.Status, a.Body)
			return false
		case t.Context().Err() != nil || time.Now().After(limit):
			t.Errorf("%s %s is never acknowledged: %v", r.Method, r.Path, describe(a, err))
			return false
		}
		<-time.After(50 * time.Millisecond)
	}
}

func describe(a *answer, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %.300s", a.Status, a.Body)
}

// acknowledges reports whether a write was done.
func (a *answer) acknowledges() bool {
	return (a.Status == http.StatusOK || a.Status == http.StatusCreated) && a.code() == ""
}

// transient reports whether the same request may succeed later.
func (a *answer) transient() bool {
	return a.Status == http.StatusServiceUnavailable || a.code() == "unavailable" ||
		a.code() == "idempotency_in_progress"
}
