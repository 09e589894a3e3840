package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/rest/hook/receiver"
)

// The schedule of a delivery's attempts (contract, section 8).
const (
	firstWait   = 5 * time.Second
	longestWait = 4 * time.Hour
	retryWindow = 24 * time.Hour
)

// webhooksPage is the data of templates/webhooks.html.
type webhooksPage struct {
	Title     string
	Headers   []line
	Request   string
	Body      string
	Members   []line
	Receivers []receiver.Example
	States    []line
	Attempts  []attempt
	Levels    []line
	Backlogs  []line
	Events    []webhookEvent
}

// line is a row of a table: a name and its description.
type line struct {
	Name    string
	Meaning template.HTML
}

type webhookEvent struct{ Type, Resource, Scope, Trigger string }

// attempt is one row of the schedule.
type attempt struct {
	Number      int
	Wait, Since string // since the previous failure; since the first attempt
}

// webhooks mounts /docs/webhooks.
func (d *site) webhooks() {
	var body bytes.Buffer
	if err := json.Indent(&body, []byte(sampleBody), "", "  "); err != nil {
		d.note(fmt.Errorf("sample of a delivery: %w", err))
	}
	p := webhooksPage{
		Title:     d.title,
		Headers:   lines(deliveryHeaders),
		Request:   sampleRequest,
		Body:      body.String(),
		Members:   lines(bodyMembers),
		Receivers: receiver.Examples(),
		States:    lines(deliveryStates),
		Attempts:  attempts(),
		Levels:    lines(noticeLevels),
		Backlogs:  lines(backlogs),
	}
	for _, e := range event.All() {
		p.Events = append(p.Events, webhookEvent{string(e.Type), e.Resource.Resource(), e.Scope, e.Trigger})
	}
	d.page("/docs/webhooks", "webhooks.html", p)
}

func lines(texts [][2]string) []line {
	out := make([]line, len(texts))
	for i, text := range texts {
		out[i] = line{text[0], inline(text[1])}
	}
	return out
}

// attempts returns the schedule without jitter: each wait doubles up to a maximum, and the last
// attempt comes when the window ends.
func attempts() []attempt {
	list := []attempt{{1, "", "0 s"}}
	wait, since := firstWait, time.Duration(0)
	for since < retryWindow {
		step := min(wait, retryWindow-since)
		since += step
		list = append(list, attempt{len(list) + 1, spell(step), spell(since)})
		wait = min(2*wait, longestWait)
	}
	return list
}

// spell formats a duration in whole seconds: "1 h 25 min 15 s".
func spell(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.of; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
			d %= unit.of
		}
	}
	return strings.Join(parts, " ")
}

// sampleRequest is the request line and headers of a delivery with sampleBody, signed with the
// secret on the page; a test verifies it.
const sampleRequest = `POST /storefront/webhooks HTTP/1.1
host: sync.example
content-type: application/json
user-agent: Storefront-Webhooks/1
x-service-timestamp: 1772703002
x-service-signature: 5324ddbb101eae0095b1dc896b03e3bd25a0c3f5b056abc72890f7ba4b59b001
x-service-event: product.updated
x-service-delivery-id: dlv_01kjynaea8e008000000000000
x-service-attempt: 1
webhook-id: evt_01kjynaea8e008000000000000
webhook-timestamp: 1772703002
webhook-signature: v1,ehfiIhk5h+WtC98eXtxRdMg6yQI95JBOr87fPr9y9hY=`

const sampleBody = `{"event_id":"evt_01kjynaea8e008000000000000","type":"product.updated","api_version":"v1",` +
	`"occurred_at":"2026-03-05T09:30:01.250000Z","store_id":"str_01kjynacbre008000000000000",` +
	`"resource":{"type":"product","id":"prod_01kjynabcge008000000000000","version":7},"sequence":4,` +
	`"changed_fields":["price_minor"],"data":{"object":{"id":"prod_01kjynabcge008000000000000",` +
	`"title":"Kite \"Gull\"","handle":"kite-gull","description":null,"status":"active","price_minor":4900,` +
	`"compare_at_price_minor":5900,"currency":"EUR","sku":"KITE-1","vendor":null,"product_type":null,` +
	`"tags":["outdoor"],"inventory_quantity":12,"image_url":null,"published_at":"2026-03-01T08:00:00.000000Z",` +
	`"version":7,"created_at":"2026-02-27T10:15:00.000000Z","updated_at":"2026-03-05T09:30:01.250000Z",` +
	`"options":[],"variants":[{"id":"var_01kjynabcge008000000000000","title":"Kite \"Gull\"","sku":"KITE-1",` +
	`"price_minor":4900,"compare_at_price_minor":5900,"inventory_quantity":12,"weight_grams":450,"options":[],` +
	`"position":1,"image":null}],"images":[{"id":"img_01kjynabfye008000000000000",` +
	`"url":"https://tableware.example.com/pictures/img_01kjynabfye008000000000000/` +
	`0190fd2a7c3e4b5f8a6d1c2b3e4f5a6b.jpg","alt":"A kite above the sea","width":1600,"height":1200,"position":1}],` +
	`"requires_shipping":true}},` +
	`"payload_omitted":false}`

var deliveryHeaders = [][2]string{
	{"x-service-timestamp", "When this attempt was signed: Unix time in seconds."},
	{"x-service-signature", "Lower-case hexadecimal HMAC with SHA-256 over `<timestamp>.<raw body>`. The key is the " +
		"secret as it was shown, `whsec_` included."},
	{"x-service-event", "The event's type, for routing. Not signed: decide by the body."},
	{"x-service-delivery-id", "This delivery, the same for all of its attempts. Not signed."},
	{"x-service-attempt", "Which attempt it is, from 1. Not signed."},
	{"webhook-id, webhook-timestamp, webhook-signature", "The same in the form of Standard Webhooks, for its " +
		"libraries: the `event_id`, the time, and `v1,` with base64 over `<id>.<timestamp>.<raw body>`, keyed with " +
		"what `whsec_` is the prefix of, decoded."},
}

var bodyMembers = [][2]string{
	{"event_id", "The event, the same in every delivery of it. Deduplicate on it."},
	{"type", "The event's type, one of the catalogue below."},
	{"api_version", "`v1`: the version in which `data.object` is written."},
	{"occurred_at", "When it happened, in UTC with microseconds. Compare it before you overwrite stored data."},
	{"store_id", "The store in which it happened."},
	{"resource", "What it is about: `type`, `id`, and the `version` that the change left."},
	{"sequence", "Counts the events of one resource from 1, without gaps; 0 for a `ping`. If you subscribe to some " +
		"events only, you see some numbers only."},
	{"changed_fields", "The members that an update changed; null for other events."},
	{"data.object", "The representation that the API answers, as the change left it."},
	{"payload_omitted", "True if the body would exceed 256 KiB: `data` is then null, and the resource must be " +
		"read from the API."},
}

var deliveryStates = [][2]string{
	{"waiting", "It waits for its first attempt, for its turn behind an earlier event of the same resource, or for " +
		"its next attempt."},
	{"delivered", "An attempt was answered with 200 to 299."},
	{"failed", "24 hours after its first attempt, none had succeeded. The endpoint is suspended with it."},
	{"held", "Its endpoint is suspended or disabled; it goes on when the endpoint is reactivated with `resume`."},
	{"skipped", "A person gave it up, and the next event of the resource went on."},
	{"cancelled", "Its endpoint was deleted, or its owner may not read such events any more."},
}

var noticeLevels = [][2]string{
	{"1 h", "Warning: a delivery has been failing for an hour."},
	{"6 h", "Warning."},
	{"12 h", "Warning: half of the time is over."},
	{"24 h", "The delivery has failed, the endpoint is suspended, and its other waiting deliveries are held."},
	{"recovery", "The endpoint works again, where there was a warning before."},
}

var backlogs = [][2]string{
	{"resume", "What failed or was held is sent, then the events since the suspension, each resource in its order, " +
		"each with 24 hours of its own. The default."},
	{"from", "The events since a time that you name are sent from the event log, which reaches back 30 days."},
	{"drop", "Nothing is sent of what was missed."},
}
