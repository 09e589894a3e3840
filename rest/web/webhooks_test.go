package web

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/rest/hook"
	"github.com/storefront-go/storefront/rest/hook/receiver"
)

func webhooksText(t *testing.T) string {
	t.Helper()
	w := ask(docs(t), "GET", "/docs/webhooks")
	if w.Code != http.StatusOK {
		t.Fatalf("status %d", w.Code)
	}
	return html.UnescapeString(w.Body.String())
}

// The delivery on the page verifies, in both forms, with the secret on the page.
func TestSampleVerifies(t *testing.T) {
	page := webhooksText(t)
	blocks := regexp.MustCompile(`(?s)<pre tabindex="0"><code>(.*?)</code></pre>`).FindAllStringSubmatch(page, 2)
	if len(blocks) != 2 {
		t.Fatal("the page shows no delivery")
	}
	h := http.Header{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+): (.*)$`).FindAllStringSubmatch(blocks[0][1], -1) {
		h.Set(m[1], m[2])
	}
	var body bytes.Buffer
	if err := json.Compact(&body, []byte(blocks[1][1])); err != nil {
		t.Fatal(err)
	}
	secret := regexp.MustCompile(`<code>(whsec_[A-Za-z0-9+/]+=*)</code>`).FindStringSubmatch(page)
	if secret == nil {
		t.Fatal("the page names no secret")
	}
	seconds, err := strconv.ParseInt(h.Get(hook.HeaderTimestamp), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, standard := range []bool{false, true} {
		v := hook.Verifier{Secrets: secret[1:], Standard: standard}
		if err := v.Verify(h, body.Bytes(), time.Unix(seconds, 0)); err != nil {
			t.Errorf("standard %t: %v", standard, err)
		}
	}
	e, err := hook.Parse(h, body.Bytes())
	if err != nil || e.ID != h.Get(hook.HeaderStandardID) || e.Type != h.Get(hook.HeaderEvent) ||
		e.DeliveryID == "" || e.Attempt != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	for name := range h {
		if name != "Host" && name != "Content-Type" && name != "User-Agent" &&
			!strings.Contains(page, strings.ToLower(name)+"</code>") &&
			!regexp.MustCompile(`<code>[^<]*`+strings.ToLower(name)+`[^<]*</code></th>`).MatchString(page) {
			t.Errorf("the page does not explain %s", name)
		}
	}
	var members map[string]any
	if err := json.Unmarshal(body.Bytes(), &members); err != nil {
		t.Fatal(err)
	}
	for name := range members {
		if !strings.Contains(page, `<th scope="row"><code>`+name) {
			t.Errorf("the page does not explain %s", name)
		}
	}
}

func TestWebhooksPageIsWhole(t *testing.T) {
	page := webhooksText(t)
	row := func(name string) string { return `<th scope="row"><code>` + name + `</code></th><td>` }
	for _, e := range event.All() {
		if e.Trigger == "" || !strings.Contains(page, row(string(e.Type))+e.Resource.Resource()+`</td><td><code>`+
			e.Scope+`</code></td><td>`+e.Trigger+`</td>`) {
			t.Errorf("%s has no row, or no sentence that says what triggers it", e.Type)
		}
	}
	for _, s := range []state.DeliveryState{state.DeliveryWaiting, state.DeliveryDelivered, state.DeliveryFailed,
		state.DeliveryHeld, state.DeliverySkipped, state.DeliveryCancelled} {
		if !strings.Contains(page, row(string(s))) {
			t.Errorf("the state %s has no row", s)
		}
	}
	for _, b := range []state.WebhookBacklog{state.BacklogResume, state.BacklogFrom, state.BacklogDrop} {
		if !strings.Contains(page, row(string(b))) {
			t.Errorf("the backlog %s has no row", b)
		}
	}
	for _, r := range receiver.Examples() {
		if !strings.Contains(page, r.Language+": <code>"+r.File+"</code>") || !strings.Contains(page, r.Source) {
			t.Errorf("the page does not show %s", r.File)
		}
	}
	if !strings.Contains(page, "18 attempts in total") {
		t.Error("the page does not say how many attempts there are")
	}
	for _, target := range []string{"/docs", "/docs/problems"} {
		if !strings.Contains(ask(docs(t), "GET", target).Body.String(), `href="/docs/webhooks"`) {
			t.Errorf("%s does not link to it", target)
		}
	}
}

// The contract: min(5 s · 2ⁿ⁻¹, 4 h), the last attempt 24 h after the first, 18 in all.
func TestSchedule(t *testing.T) {
	list := attempts()
	for number, want := range map[int]attempt{
		1:  {1, "", "0 s"},
		2:  {2, "5 s", "5 s"},
		3:  {3, "10 s", "15 s"},
		6:  {6, "1 min 20 s", "2 min 35 s"},
		13: {13, "2 h 50 min 40 s", "5 h 41 min 15 s"},
		14: {14, "4 h", "9 h 41 min 15 s"},
		17: {17, "4 h", "21 h 41 min 15 s"},
		18: {18, "2 h 18 min 45 s", "24 h"},
	} {
		if len(list) != 18 || list[number-1] != want {
			t.Errorf("attempt %d of %d: %+v, want %+v", number, len(list), list[number-1], want)
		}
	}
}
