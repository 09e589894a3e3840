package e2e

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/event"
)

// change is a mutation in the life of a resource, and its events.
type change struct {
	field string // with %d for the current version
	types []string
}

var (
	productLife = []change{
		{`productUpdate(id:$id,expectedVersion:%d,input:{title:"Two"}){it:product{version} userErrors{message}}`,
			[]string{"product.updated"}},
		{`productPublish(id:$id,expectedVersion:%d){it:product{version} userErrors{message}}`,
			[]string{"product.updated", "product.published"}},
		{`productUnpublish(id:$id,expectedVersion:%d){it:product{version} userErrors{message}}`,
			[]string{"product.updated", "product.unpublished"}},
		{`productArchive(id:$id,expectedVersion:%d){it:product{version} userErrors{message}}`,
			[]string{"product.updated", "product.archived"}},
		{`productDelete(id:$id,expectedVersion:%d){deletedId userErrors{message}}`, []string{"product.deleted"}},
	}
	customerLife = []change{
		{`customerUpdate(id:$id,expectedVersion:%d,input:{note:"x"}){it:customer{version} userErrors{message}}`,
			[]string{"customer.updated"}},
		{`customerRedact(id:$id,expectedVersion:%d){it:customer{version} userErrors{message}}`,
			[]string{"customer.redacted"}},
	}
	orderLife = []change{
		{`orderUpdate(id:$id,expectedVersion:%d,input:{tags:["x"]}){it:order{version} userErrors{message}}`,
			[]string{"order.updated"}},
		{`orderRecordPayment(id:$id,expectedVersion:%d,input:{amountMinor:50}){it:order{version} userErrors{message}}`,
			[]string{"order.partially_paid"}},
		{`orderMarkPaid(id:$id,expectedVersion:%d){it:order{version} userErrors{message}}`, []string{"order.paid"}},
		{`orderFulfill(id:$id,expectedVersion:%d,input:{lines:[{lineItemId:$line,quantity:1}]}){it:order{version} ` +
			`userErrors{message}}`, []string{"order.partially_fulfilled"}},
		{`orderFulfill(id:$id,expectedVersion:%d,input:{}){it:order{version} userErrors{message}}`,
			[]string{"order.fulfilled"}},
		{`orderComplete(id:$id,expectedVersion:%d){it:order{version} userErrors{message}}`,
			[]string{"order.completed"}},
		{`orderRefund(id:$id,expectedVersion:%d,input:{amountMinor:10}){it:order{version} userErrors{message}}`,
			[]string{"order.refunded"}},
	}
	orderEnd = []change{
		{`orderCancel(id:$id,expectedVersion:%d){it:order{version} userErrors{message}}`, []string{"order.cancelled"}},
	}
)

// live takes a resource through its life.
func (c *crew) live(t *testing.T, p *program, id, line string, version int64, life []change) {
	t.Helper()
	for _, step := range life {
		field, variables := fmt.Sprintf(step.field, version), map[string]any{"id": id}
		head := "$id:ID!"
		if strings.Contains(field, "$line") {
			head, variables["line"] = head+",$line:ID!", line
		}
		var data struct {
			Done struct {
				It         struct{ Version int64 }
				UserErrors []struct{ Message string }
			}
		}
		p.graphql(t, c.store.StaffToken, "mutation("+head+"){done:"+field+"}", variables, &data)
		if len(data.Done.UserErrors) > 0 {
			t.Fatalf("%s: %+v", field, data.Done.UserErrors)
		}
		version = data.Done.It.Version
		c.add(id, step.types...)
	}
}

// creation is the answer of a creating mutation.
type creation struct {
	Done struct {
		It struct {
			ID        string
			Version   int64
			LineItems []struct{ ID string }
		}
		UserErrors []struct{ Message string }
	}
}

// create creates a resource with GraphQL.
func (c *crew) create(t *testing.T, p *program, field string, types ...string) (v creation) {
	t.Helper()
	p.graphql(t, c.store.StaffToken, "mutation{done:"+field+"}", nil, &v)
	if v.Done.It.ID == "" {
		t.Fatalf("%s: %+v", field, v.Done.UserErrors)
	}
	c.add(v.Done.It.ID, types...)
	return v
}

const sold = `orderCreate(input:{lines:[{title:"x",quantity:2,unitPriceMinor:100}]}){it:order{id version ` +
	`lineItems{id}} userErrors{message}}`

// everything creates each event of the catalog that can be created quickly.
func (c *crew) everything(t *testing.T, p *program) {
	t.Helper()
	var product struct {
		ID      string
		Version int64
	}
	p.send(t, request{As: c.store.Keys["all"], Path: base + "/products", Body: draft("Plain", rand.Text())}).
		want(t, http.StatusCreated, "").decode(t, &product)
	c.add(product.ID, "product.created")
	c.live(t, p, product.ID, "", product.Version, productLife)

	customer := c.create(t, p, `customerCreate(input:{email:"plain@example.com"}){it:customer{id version} `+
		`userErrors{message}}`, "customer.created")
	c.live(t, p, customer.Done.It.ID, "", customer.Done.It.Version, customerLife)

	order := c.create(t, p, sold, "order.created").Done.It
	c.live(t, p, order.ID, order.LineItems[0].ID, order.Version, orderLife)
	p.send(t, request{As: c.store.Keys["all"], Path: base + "/orders/" + order.ID + "/notes",
		Body: `{"body":"plain"}`}).want(t, http.StatusCreated, "")
	c.add(order.ID, "order.note_added")
	c.giveBack(t, p, order.ID, order.LineItems[0].ID)
	order = c.create(t, p, sold, "order.created").Done.It
	c.live(t, p, order.ID, "", order.Version, orderEnd)

	var job struct{ ID string }
	p.send(t, request{As: c.store.Keys["all"], Path: base + "/exports", Body: `{"kind":"products"}`}).
		want(t, http.StatusAccepted, "").decode(t, &job)
	c.add(job.ID, "export.completed")

	var themes struct{ Data []struct{ ID string } }
	p.send(t, request{As: c.store.Keys["all"], Path: base + "/themes"}).want(t, http.StatusOK, "").decode(t, &themes)
	twin := c.create(t, p, `themeDuplicate(id:"`+themes.Data[0].ID+`"){it:theme{id} userErrors{message}}`,
		"theme.installed").Done.It
	p.send(t, request{As: c.store.Keys["all"], Method: http.MethodPost, Path: base + "/themes/" + twin.ID +
		"/activate"}).want(t, http.StatusOK, "")
	c.add(twin.ID, "theme.activated")
}

// giveBack creates a return of an order and declines it. Its events are the order's.
func (c *crew) giveBack(t *testing.T, p *program, order, line string) {
	t.Helper()
	var v creation
	p.graphql(t, c.store.StaffToken, `mutation($id:ID!,$line:ID!){done:orderReturnCreate(id:$id,`+
		`input:{lines:[{lineItemId:$line,quantity:1}]}){it:return{id version} userErrors{message}}}`,
		map[string]any{"id": order, "line": line}, &v)
	c.add(order, "order.return_requested")
	p.graphql(t, c.store.StaffToken, `mutation($id:ID!,$version:Long!){done:orderReturnDecline(id:$id,`+
		`expectedVersion:$version,reason:"x"){it:return{id version} userErrors{message}}}`,
		map[string]any{"id": v.Done.It.ID, "version": v.Done.It.Version}, &v)
	if len(v.Done.UserErrors) > 0 {
		t.Fatalf("%+v", v.Done.UserErrors)
	}
	c.add(order, "order.return_updated")
}

// seldom are events that take longer: a lasting failure, the end of a grant, or stock a second later.
var seldom = []event.Type{event.AppGrantRevoked, event.WebhookEndpointSuspended, event.WebhookEndpointFailing,
	event.WebhookEndpointRecovered, event.ExportFailed, event.InventoryChanged}

// Every event of REST and GraphQL arrives at its subscribers, signed and in order, as in the event
// log; a deleted endpoint gets nothing.
func TestWebhookPlain(t *testing.T) {
	together(t, func(t *testing.T, s settings) {
		p := start(t, s)
		c, sink := hire(t, 0, p), receiving(t)
		key := c.store.Keys["all"]
		all, paid, gone := sink.open("/all", nil), sink.open("/paid", nil), sink.open("/gone", nil)
		p.register(t, key, all, slices.Concat(productEvents, customerEvents, orderEvents,
			[]string{"order.return_requested", "order.return_updated", "export.completed", "theme.installed",
				"theme.activated"})...)
		p.register(t, key, paid, "order.paid")
		p.register(t, key, gone, "product.created", "order.created")
		before := p.eventLog(t, c.store.StaffToken, "")

		c.everything(t, p)
		sink.complete(t, settled, &c.journal, all, paid, gone)
		for _, e := range event.All() {
			if all.types[string(e.Type)] == 0 && !slices.Contains(seldom, e.Type) {
				t.Errorf("no %s arrived", e.Type)
			}
		}
		newest := ""
		if len(before) > 0 {
			newest = before[0].ID
		}
		all.matches(t, p.eventLog(t, c.store.StaffToken, newest))

		p.send(t, request{As: key, Method: http.MethodDelete, Path: base + "/webhooks/" + gone.id, Key: rand.Text()}).
			want(t, http.StatusNoContent, "")
		had := len(gone.all())
		c.chapter(t, 0)
		sink.complete(t, settled, &c.journal, all, paid)
		if n := len(gone.all()); n != had {
			t.Errorf("%d requests to a deleted endpoint", n-had)
		}
	})
}

// logged is an event of the log.
type logged struct {
	ID, Type, ResourceID string
	Sequence             int64
	OccurredAt           time.Time
}

// eventLog reads the log, newest first, down to a known event.
func (p *program) eventLog(t *testing.T, token, known string) (list []logged) {
	t.Helper()
	for after := new(string); after != nil; {
		var data struct {
			Events struct {
				Nodes    []logged
				PageInfo struct {
					HasNextPage bool
					EndCursor   *string
				}
			}
		}
		p.graphql(t, token, `query($after:String){events(first:100,after:$after){nodes{id type resourceId sequence `+
			`occurredAt} pageInfo{hasNextPage endCursor}}}`,
			map[string]any{"after": *after}, &data)
		for _, e := range data.Events.Nodes {
			if e.ID == known {
				return list
			}
			list = append(list, e)
		}
		if after = data.Events.PageInfo.EndCursor; !data.Events.PageInfo.HasNextPage {
			after = nil
		}
	}
	return list
}

// matches compares the events of a book with those of the log.
func (b *book) matches(t *testing.T, log []logged) {
	t.Helper()
	stories := b.stories(t)
	for _, e := range log {
		s := stories[e.ID]
		if s == nil || s.payload.Type != e.Type || s.payload.Resource.ID != e.ResourceID ||
			s.payload.Sequence != e.Sequence || !s.payload.OccurredAt.Equal(e.OccurredAt) {
			t.Errorf("%s: the log has %+v, what arrived is %+v", b.path, e, s)
		}
		delete(stories, e.ID)
	}
	for id := range stories {
		t.Errorf("%s: the log does not have %s", b.path, id)
	}
}
