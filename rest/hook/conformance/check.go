package conformance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

// Rules that several checks have in common.
const (
	acknowledge = "Answer 200 to 299 within 5 seconds, also for types that you do not use: what is not acknowledged " +
		"is sent again."
	signature = "Answer 401 unless the signature over the timestamp and the body as received matches: anyone can send " +
		"requests to your address."
	recent = "Answer 401 if the timestamp is more than 300 seconds away: somebody may have recorded the delivery."
	digits = "Accept only decimal digits as a timestamp: languages read other numbers differently."
	raw    = "Verify the bytes as received, before anything parses them: a re-encoded body differs."
	reread = "Read the resource from the API if payload_omitted is true."
	once   = "Acknowledge an event that you have handled before, and do nothing: a delivery can arrive more than once."
)

// maxBody is the largest body that the service sends, in bytes.
const maxBody = 256 << 10

// checks returns all checks in their order.
func checks() (list []check) {
	all := sampleBodies()
	for _, b := range all {
		list = append(list, check{name: "accepts " + b.Type, rule: acknowledge,
			run: func(p *player) error { return p.accept(p.deliver(b.fresh())) }})
	}
	sample := all[slices.IndexFunc(all, func(b body) bool { return b.Type == "order.paid" })]
	list = append(list, acceptances(sample)...)
	list = append(list, refusals(sample)...)
	return append(list, check{name: "still works", rule: "Go on after requests that you refused.",
		run: func(p *player) error { return p.accept(p.deliver(sample.fresh())) }})
}

// acceptances are unusual deliveries that a receiver must acknowledge.
func acceptances(sample body) []check {
	edited := func(name, rule string, edit func(*body)) check {
		return check{name: "accepts " + name, rule: rule, run: func(p *player) error {
			b := sample.fresh()
			edit(&b)
			return p.accept(p.deliver(b))
		}}
	}
	bodied := func(name string, rewrite func([]byte) []byte) check {
		return check{name: "accepts " + name, rule: raw, run: func(p *player) error {
			d := p.deliver(sample.fresh())
			d.body = rewrite(d.body)
			return p.accept(d)
		}}
	}
	changed := func(name, rule string, edit func(*player, *delivery)) check {
		return check{name: "accepts " + name, rule: rule, run: func(p *player) error {
			d := p.deliver(sample.fresh())
			edit(p, &d)
			return p.accept(d)
		}}
	}
	rotated := func(name string, edit func(*player, *delivery)) check {
		c := changed(name, "Accept both secrets during a rotation.", edit)
		c.rotation = true
		return c
	}
	const skew = hook.Tolerance - 15*time.Second
	return []check{
		edited("a ping", acknowledge, func(b *body) {
			b.Type, b.Sequence, b.ChangedFields, b.Data = "ping", 0, nil, json.RawMessage(`{"object":{}}`)
		}),
		edited("a type that is not documented yet", acknowledge, func(b *body) { b.Type = "order.invented" }),
		edited("an event without its data", reread, func(b *body) {
			b.Data, b.PayloadOmitted = json.RawMessage(`{"object":null}`), true
		}),
		edited("a thin event", reread, func(b *body) { b.Data, b.PayloadOmitted = json.RawMessage("null"), true }),
		edited("a thin update", reread, func(b *body) {
			b.Data, b.PayloadOmitted, b.ChangedFields = json.RawMessage("null"), true, []string{"status"}
		}),
		edited("an event of 30 days ago", "Accept old events: the signature is new when a person sends one again.",
			func(b *body) {
				b.OccurredAt = time.Now().AddDate(0, 0, -30).UTC().Format("2006-01-02T15:04:05.000000Z")
			}),
		{name: "accepts events out of order", rule: "Compare the sequence of a resource with what you stored: an event " +
			"that a person sends again comes late.", run: func(p *player) error {
			later, earlier := sample.fresh(), sample.fresh()
			later.Sequence, earlier.Sequence, earlier.Resource.ID = 2, 1, later.Resource.ID
			if err := p.accept(p.deliver(later)); err != nil {
				return err
			}
			return p.accept(p.deliver(earlier))
		}},
		{name: "accepts an event twice", rule: once, run: func(p *player) error {
			d := p.deliver(sample.fresh())
			if err := p.accept(d); err != nil {
				return err
			}
			d.attempt = 2
			return p.accept(d)
		}},
		{name: "accepts an event twice at once", rule: once, run: func(p *player) error {
			d := p.deliver(sample.fresh())
			return together(2, func(int) error { return p.accept(d) })
		}},
		{name: "accepts 20 events at once", rule: "Queue the work and answer at once: events of different resources " +
			"arrive at the same time.", run: func(p *player) error {
			return together(20, func(int) error { return p.accept(p.deliver(sample.fresh())) })
		}},
		changed("a late attempt", acknowledge, func(_ *player, d *delivery) { d.attempt = 18 }),
		changed("a clock that is 285 seconds behind", recent, func(_ *player, d *delivery) { d.at = stamp(-skew) }),
		changed("a clock that is 285 seconds ahead", recent, func(_ *player, d *delivery) { d.at = stamp(skew) }),
		changed("unknown headers", acknowledge, func(_ *player, d *delivery) {
			d.edit = func(_ *delivery, h http.Header) { h.Set("Traceparent", "00-"+strings.Repeat("a", 32)+"-00") }
		}),
		bodied("white space around and inside the body", func(b []byte) []byte {
			var out bytes.Buffer
			if err := json.Indent(&out, b, "", " \t"); err != nil {
				panic(err) // it was encoded here
			}
			return append(out.Bytes(), " \r\n"...)
		}),
		bodied("escaped characters", func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"type":"order.paid"`), []byte(`"type":"order\u002epaid"`), 1)
		}),
		bodied("unknown members", func(b []byte) []byte { return with(b, `"new":{"a":[null,true]}`) }),
		bodied("letters of many scripts", func(b []byte) []byte { return with(b, `"note":"Grüße, 你好, שלום, 👩‍🚀, \u0000"`) }),
		bodied("numbers beyond a double", func(b []byte) []byte { return with(b, `"n":90071992547409931.0`) }),
		bodied("the largest body", func(b []byte) []byte {
			return with(b, `"padding":"`+strings.Repeat("x", maxBody-len(b)-len(`,"padding":""`))+`"`)
		}),
		rotated("the former secret", func(p *player, d *delivery) { d.secrets = []string{p.Former} }),
		rotated("signatures of both secrets", func(p *player, d *delivery) {
			d.secrets = []string{p.Former, p.Secret}
		}),
		rotated("signatures of both secrets in the other order", func(p *player, d *delivery) {
			d.secrets = []string{p.Secret, p.Former}
		}),
	}
}

// with adds a member to an object.
func with(object []byte, member string) []byte {
	return slices.Concat(object[:len(object)-1], []byte(","+member+"}"))
}

// refusals are requests that a receiver must refuse. Each changes the headers of both formats,
// because a receiver reads one of them.
func refusals(sample body) []check {
	edited := func(name, rule string, edit func(*delivery, http.Header)) check {
		return check{name: "refuses " + name, rule: rule, run: func(p *player) error {
			d := p.deliver(sample.fresh())
			d.edit = edit
			return p.refuse(d)
		}}
	}
	signed := func(name, rule string, edit func(*player, *delivery)) check {
		return check{name: "refuses " + name, rule: rule, run: func(p *player) error {
			d := p.deliver(sample.fresh())
			edit(p, &d)
			return p.refuse(d)
		}}
	}
	times, signatures := []string{hook.HeaderTimestamp, hook.HeaderStandardTimestamp},
		[]string{hook.HeaderSignature, hook.HeaderStandardSignature}
	each := func(names []string, f func(value string) string) func(*delivery, http.Header) {
		return func(_ *delivery, h http.Header) {
			for _, name := range names {
				h.Set(name, f(h.Get(name)))
			}
		}
	}
	without := func(names ...string) func(*delivery, http.Header) {
		return func(_ *delivery, h http.Header) {
			for _, name := range names {
				h.Del(name)
			}
		}
	}
	const late = hook.Tolerance + 15*time.Second
	return []check{
		edited("a request without signatures", signature, without(slices.Concat(times, signatures)...)),
		edited("a request without a timestamp", signature, without(times...)),
		edited("a request with a timestamp alone", signature, without(signatures...)),
		edited("an empty signature", signature, each(signatures, func(string) string { return "" })),
		edited("a wrong signature", signature, each(signatures, flip)),
		edited("the beginning of a signature", signature,
			each(signatures, func(s string) string { return s[:len(s)-4] })),
		edited("a longer signature", signature, each(signatures, func(s string) string { return s + "00" })),
		edited("another timestamp than the signed one", signature, each(times,
			func(string) string { return stamp(-5 * time.Second) })),
		edited("a body with another byte", signature, func(d *delivery, _ http.Header) {
			d.body = bytes.Replace(d.body, []byte(`"version":`), []byte(`"version":1`), 1)
		}),
		edited("a body with another space", raw, func(d *delivery, _ http.Header) { d.body = append(d.body, ' ') }),
		edited("the body of another event", signature, func(d *delivery, _ http.Header) {
			d.body = sample.fresh().bytes()
		}),
		edited("an empty body", signature, func(d *delivery, _ http.Header) { d.body = nil }),
		signed("a signature of another secret", signature, func(_ *player, d *delivery) {
			d.secrets = []string{"whsec_bm90IHlvdXIgc2VjcmV0LCBidXQgYW5vdGhlciBvbmU="}
		}),
		signed("a signature of an empty secret", signature, func(_ *player, d *delivery) { d.secrets = []string{""} }),
		signed("a delivery that was recorded", recent, func(_ *player, d *delivery) { d.at = stamp(-late) }),
		signed("a delivery of the future", recent, func(_ *player, d *delivery) { d.at = stamp(late) }),
		signed("a timestamp that is not a number", digits, func(_ *player, d *delivery) { d.at = "nan" }),
		signed("a timestamp with a fraction", digits, func(_ *player, d *delivery) { d.at += ".0" }),
		{name: "refuses a body of 1 MiB", rule: "Bound what you read: bodies have at most 256 KiB.",
			run: func(p *player) error {
				d := p.deliver(sample.fresh())
				d.edit = func(d *delivery, _ http.Header) { d.body = make([]byte, 1<<20) }
				if status, _, err := p.send(d); err == nil && (status < 400 || status > 499) {
					return answered(status, "400 to 499")
				}
				return nil // a receiver may also end the connection
			}},
	}
}

// flip changes a digit in the middle of a signature.
func flip(s string) string {
	b, i := []byte(s), len(s)/2
	if b[i]++; b[i] == 'g' || b[i] > 'y' || b[i] == ':' {
		b[i] = 'a'
	}
	return string(b)
}
