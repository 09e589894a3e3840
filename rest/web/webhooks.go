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

type line struct {
	Name    string
	Meaning template.HTML
}

type webhookEvent struct{ Type, Resource, Scope, Trigger string }

type attempt struct {
	Number      int
	Wait, Since string // since the previous failure; since the first attempt
}

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
x-service-signature: e0b7bfdc522a10a48855a1226aec6bb684a82383ea4634c6a245ed7098b0d439
x-service-event: product.updated
x-service-delivery-id: dlv_01kjynaea8e008000000000000
x-service-attempt: 1
webhook-id: evt_01kjynaea8e008000000000000
webhook-timestamp: 1772703002
webhook-signature: v1,0+tE62zdw9FoEI3YA5eJ5sOtzEW5tBWaUizQRQ8FyUw=`

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
	`"position":1,"image":null,"tax_category":null,"barcode":null,` +
	`"prices":[{"from":null,"price_minor":4900,"compare_at_price_minor":5900,"lowest_price_minor":5500}]}],"images":[{"id":"img_01kjynabfye008000000000000",` +
	`"url":"https://tableware.example.com/pictures/img_01kjynabfye008000000000000/` +
	`0190fd2a7c3e4b5f8a6d1c2b3e4f5a6b.jpg","alt":"A kite above the sea","width":1600,"height":1200,"position":1}],` +
	`"requires_shipping":true,"tax_category":"standard","description_format":"text","barcode":null,"maker":null,"videos":[]}},` +
	`"payload_omitted":false}`

var deliveryHeaders = [][2]string{
	{"x-service-timestamp", "The time at which this attempt was signed, as Unix time in seconds."},
	{"x-service-signature", "HMAC-SHA256 of `<timestamp>.<raw body>` in lower-case hexadecimal. The key is the " +
		"whole secret, including `whsec_`."},
	{"x-service-event", "The event's type, for routing. It is not signed, so trust only the body."},
	{"x-service-delivery-id", "The delivery's id, the same in all attempts. Not signed."},
	{"x-service-attempt", "The number of the attempt, from 1. Not signed."},
	{"webhook-id, webhook-timestamp, webhook-signature", "The same in the format of Standard Webhooks, for its " +
		"libraries: the `event_id`, the time, and `v1,` with the HMAC of `<id>.<timestamp>.<raw body>` in base64. The " +
		"key is the secret without `whsec_`, decoded from base64."},
}

var bodyMembers = [][2]string{
	{"event_id", "The event's id, the same in all deliveries. Use it to deduplicate."},
	{"type", "The event's type, one of those listed below."},
	{"api_version", "The version of `data.object`: `v1`."},
	{"occurred_at", "The time of the change, in UTC with microseconds. Compare it before you overwrite data."},
	{"store_id", "The store's id."},
	{"resource", "The changed resource: its `type`, `id`, and `version` after the change."},
	{"sequence", "The number of the event of its resource, from 1 without gaps; 0 for a `ping`. If you subscribe to " +
		"only some events, you see only some numbers."},
	{"changed_fields", "The changed members of an update; null for other events."},
	{"data.object", "The resource after the change, as the API returns it, or the fields that the endpoint selects."},
	{"payload_omitted", "True if the body would be larger than 256 KiB, or the endpoint gets thin messages. `data` " +
		"is then null: read the resource from the API."},
}

var deliveryStates = [][2]string{
	{"waiting", "Waiting for the first or next attempt, or for an earlier event of the same resource."},
	{"delivered", "An attempt was answered with a status from 200 to 299."},
	{"failed", "All attempts failed for 24 hours. The endpoint is suspended."},
	{"held", "The endpoint is suspended or disabled. Delivery continues if it is reactivated with `resume`."},
	{"skipped", "A person skipped it. The next event of the resource follows."},
	{"cancelled", "The endpoint was deleted, or its owner lost access to such events."},
}

var noticeLevels = [][2]string{
	{"1 h", "Warning: a delivery has been failing for an hour."},
	{"6 h", "Warning."},
	{"12 h", "Warning: half of the retry period is over."},
	{"24 h", "The delivery has failed. The endpoint is suspended and its other deliveries are held."},
	{"recovery", "The endpoint works again after a warning."},
}

var backlogs = [][2]string{
	{"resume", "The default: failed and held deliveries, then the events since the suspension, in order. Each is retried " +
		"for 24 hours."},
	{"from", "The events since a time that you choose, from the event log of the last 30 days."},
	{"drop", "Only new events."},
}
