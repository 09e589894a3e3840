package hook_test

import (
	"errors"
	"testing"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

const sample = `{"event_id":"evt_1","type":"product.updated","api_version":"v1",` +
	`"occurred_at":"2026-03-05T09:30:00.000001Z","store_id":"str_1",
"resource":{"type":"product","id":"prod_1","version":7},"sequence":4,"changed_fields":["title"],` +
	`"data":{"object":{"id":"prod_1"}},"payload_omitted":false,"later":1}`

func TestParse(t *testing.T) {
	e, err := hook.Parse(headers(hook.HeaderDeliveryID, "dlv_1", hook.HeaderAttempt, "3"), []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if e.ID != "evt_1" || e.Type != "product.updated" || e.APIVersion != "v1" || e.StoreID != "str_1" ||
		e.Sequence != 4 ||
		e.Resource != (hook.Resource{Type: "product", ID: "prod_1", Version: 7}) || len(e.ChangedFields) != 1 ||
		e.PayloadOmitted ||
		string(e.Data.Object) != `{"id":"prod_1"}` ||
		!e.OccurredAt.Equal(time.Date(2026, 3, 5, 9, 30, 0, 1000, time.UTC)) ||
		e.DeliveryID != "dlv_1" || e.Attempt != 3 {
		t.Errorf("got %+v", e)
	}
	e, err = hook.Parse(headers(hook.HeaderAttempt, "-1"),
		[]byte(`{"event_id":"evt_1","type":"ping","changed_fields":null,"data":null,"payload_omitted":true}`))
	if err != nil || e.Data.Object != nil || e.ChangedFields != nil || !e.PayloadOmitted || e.Attempt != 0 ||
		e.DeliveryID != "" {
		t.Errorf("got %+v, %v", e, err)
	}
	for _, body := range []string{"", "null", "[]", "{}", `{"event_id":"evt_1"}`, `{"type":"ping"}`,
		`{"event_id":1,"type":"ping"}`, sample + "x", sample[:90]} {
		if e, err := hook.Parse(headers(hook.HeaderDeliveryID, "dlv_1"), []byte(body)); !errors.Is(err, hook.ErrBody) ||
			e.ID+e.Type != "" || e.DeliveryID != "dlv_1" {
			t.Errorf("%q: got %+v, %v", body, e, err)
		}
	}
}

func TestNewer(t *testing.T) {
	at := time.Date(2026, 3, 5, 9, 30, 0, 0, time.UTC)
	e := hook.Event{OccurredAt: at, Sequence: 4}
	ping := hook.Event{OccurredAt: at}
	for _, tc := range []struct {
		name     string
		event    hook.Event
		at       time.Time
		sequence int64
		want     bool
	}{
		{name: "nothing stored", event: e, want: true},
		{name: "the one before", event: e, at: at.Add(-time.Second), sequence: 3, want: true},
		{name: "itself", event: e, at: at, sequence: 4},
		{name: "the one after", event: e, at: at.Add(time.Second), sequence: 5},
		{name: "equal times", event: e, at: at, sequence: 3, want: true},
		{name: "clocks that differ", event: e, at: at.Add(time.Millisecond), sequence: 3, want: true},
		{name: "time alone, older stored", event: e, at: at.Add(-1), want: true},
		{name: "time alone, itself", event: e, at: at},
		{name: "time alone, newer stored", event: e, at: at.Add(1)},
		{name: "no sequence of its own", event: ping, at: at.Add(-1), sequence: 9, want: true},
	} {
		if got := tc.event.Newer(tc.at, tc.sequence); got != tc.want {
			t.Errorf("%s: %t, want %t", tc.name, got, tc.want)
		}
	}
}
