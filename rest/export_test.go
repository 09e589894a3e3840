package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/rest"
)

var exportID = xid.Export.Format(fixed(1))

// furnishExports creates a completed job, a failed job of an app and a queued one.
func furnishExports(ctx context.Context, c *db.Client, store xid.ID) error {
	job := func(n int, kind state.ExportKind, status state.ExportStatus, by viewer.Kind, name string) *db.ExportCreate {
		return c.Export.Create().SetID(fixed(n)).SetBucket(bucket.Of(store)).SetKind(kind).SetFormat(state.ExportCSV).
			SetCompression(state.ExportPlain).SetStatus(status).SetRequesterType(by).
			SetRequesterID(fixed(n)).SetRequesterName(name).
			SetDueAt(micros.Max).SetUpdatedAt(epoch)
	}
	err := job(1, state.ExportOrders, state.ExportCompleted, viewer.APIKey, `Warehouse "1"`).
		SetCreatedFrom(epoch).SetFilterStatus("open").
		SetRowsDone(3).SetResourcesDone(2).SetResourcesTotal(2).SetSizeBytes(1234).SetSha256(strings.Repeat("0f", 32)).
		SetStartedAt(epoch.Add(time.Second)).SetCompletedAt(epoch.Add(time.Minute)).
		SetExpiresAt(epoch.Add(100 * 365 * 24 * time.Hour)).Exec(ctx)
	if err != nil {
		return err
	}
	err = c.Export.Create().SetID(fixed(2)).SetBucket(bucket.Of(store)).
		SetKind(state.ExportCustomers).SetFormat(state.ExportJSONL).
		SetCompression(state.ExportGzip).SetStatus(state.ExportFailed).
		SetRequesterType(viewer.OAuthApp).SetRequesterID(fixed(2)).
		SetRequesterName("Sync <it>").SetAppStoreID(fixed(2)).SetAppID(fixed(2)).SetErrorCode("export_failed").
		SetErrorMessage("The file could not be written.").SetRowsDone(10).SetResourcesDone(10).SetResourcesTotal(40).
		SetStartedAt(epoch.Add(time.Second)).SetCompletedAt(epoch.Add(time.Minute)).
		SetDueAt(micros.Max).SetUpdatedAt(epoch).Exec(ctx)
	if err != nil {
		return err
	}
	return job(3, state.ExportProducts, state.ExportQueued, viewer.Staff, "Ada Example").Exec(ctx)
}

// job is the part of an export job that tests look at.
type job struct {
	ID, Status string
	URL        *string `json:"download_url"`
	Expires    *string `json:"download_url_expires_at"`
}

func (a *answer) job(status int) (j job) {
	a.t.Helper()
	a.want(status, "").decode(&j)
	return j
}

// A job is answered and stored without a link. Its detail has a fresh, uncacheable link for callers
// who may read the file's content.
func TestExportLink(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		m.furnish()
		get := func(as string) *answer { return s.do(t, request{As: as, Path: "/exports/" + exportID}) }
		before := time.Now()
		a := get(m.all)
		after := time.Now()
		j := a.job(http.StatusOK)
		if j.URL == nil || j.Expires == nil || a.Header.Get("Cache-Control") != "no-store" ||
			a.Header.Get("ETag") != "" {
			t.Fatalf("%v %s", a.Header, a.Body)
		}
		link, err := url.Parse(*j.URL)
		if err != nil || !strings.HasPrefix(*j.URL, apiHost+"/downloads/"+exportID+"/orders-") || link.RawQuery == "" {
			t.Errorf("the link is %q, %v", *j.URL, err)
		}
		until, err := micros.Parse(*j.Expires)
		made := until.Time().Add(-15 * time.Minute) // in whole seconds
		if err != nil || made.Before(before.Add(-time.Second)) || made.After(after) {
			t.Errorf("the link of %v serves until %v, %v", before, until, err)
		}
		for _, as := range []string{m.keyOf(scope.ExportsRead), m.keyOf(scope.ExportsRead, scope.ProductsRead)} {
			if j := get(as).job(http.StatusOK); j.URL != nil || j.Expires != nil {
				t.Errorf("without orders.read the link is %+v", j)
			}
		}
		if j := get(m.keyOf(scope.ExportsRead, scope.OrdersRead)).job(http.StatusOK); j.URL == nil {
			t.Error("with orders.read there is no link")
		}
		if list := s.do(t, request{As: m.all, Path: "/exports"}); strings.Contains(string(list.Body), "download") {
			t.Errorf("the list has a link: %s", list.Body)
		}
		for _, unfinished := range []int{2, 3} {
			if j := s.do(t, request{As: m.all, Path: "/exports/" + xid.Export.Format(fixed(unfinished))}).
				job(http.StatusOK); j.URL != nil {
				t.Errorf("%s has the link %s", j.Status, *j.URL)
			}
		}
	})
}

// A job is started once per key, and every replay has no link.
func TestExportIsStartedOnce(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		first := s.post(t, m.all, "k", "/exports", `{"kind":"orders"}`)
		made := first.job(http.StatusAccepted)
		if at := first.Header.Get("Location"); at != base+"/exports/"+made.ID || made.Status != "queued" ||
			first.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("Location %q, %s", at, first.Body)
		}
		again := s.post(t, m.all, "k", "/exports", ` { "kind" : "orders" } `)
		same(t, first, again)
		if !replayed(again) {
			t.Error("not replayed")
		}
		s.post(t, m.all, "k", "/exports", `{"kind":"products"}`).want(http.StatusConflict, "idempotency_key_reused")
		refused := s.post(t, m.all, "bad", "/exports", `{"kind":"people"}`).want(422, "validation_failed")
		same(t, refused, s.post(t, m.all, "bad", "/exports", `{"kind":"people"}`))
		if ids := s.do(t, request{As: m.all, Path: "/exports"}).list().ids(); !slices.Equal(ids, []string{made.ID}) {
			t.Errorf("the jobs are %v, want %s alone", ids, made.ID)
		}
		if got := m.traces(); got != [2]int{0, 1} {
			t.Errorf("%d events and %d audit rows, want none and one", got[0], got[1])
		}
	})
}

// Each kind needs its own read scope beside exports.write. That refusal is not stored with the key,
// and comes after errors of the body.
func TestExportScopes(t *testing.T) {
	s, m := sqlite(t)
	kinds := map[string]string{
		"orders": scope.OrdersRead, "products": scope.ProductsRead, "customers": scope.CustomersRead,
	}
	for kind, needed := range kinds {
		t.Run(kind, func(t *testing.T) {
			body := fmt.Sprintf(`{"kind":%q}`, kind)
			for _, other := range kinds {
				a := s.do(t, request{
					As: m.keyOf(scope.ExportsWrite, other), Method: http.MethodPost, Path: "/exports", Body: body,
				})
				if other == needed {
					a.want(http.StatusAccepted, "")
					continue
				}
				a.want(http.StatusForbidden, "insufficient_scope")
				if c := a.Header.Get("WWW-Authenticate"); !strings.Contains(c, `scope="`+needed+`"`) ||
					!strings.Contains(a.problem().Detail, needed) {
					t.Errorf("the refusal does not name %s: %s %s", needed, c, a.Body)
				}
			}
			lineage := keyRow{Scopes: scope.Of(scope.ExportsWrite), Lineage: xid.New()}
			s.post(t, m.key(lineage), kind, "/exports", body).want(http.StatusForbidden, "insufficient_scope")
			lineage.Scopes, lineage.Slot = scope.Full(), 2
			s.post(t, m.key(lineage), kind, "/exports", body).want(http.StatusAccepted, "")
		})
	}
	bad := `{"kind":"orders","format":"xlsx"}`
	s.do(t, request{As: m.keyOf(scope.ExportsWrite), Method: http.MethodPost, Path: "/exports", Body: bad}).want(422,
		"validation_failed")
}

// An app sees only its own jobs; the store sees all.
func TestExportsOfAnApp(t *testing.T) {
	each(t, func(t *testing.T, s *server, m *shop) {
		all := scope.Of(scope.ExportsWrite, scope.OrdersRead)
		one, two := m.install(all, all, all), m.install(all, all, all)
		start := func(as string) string {
			return s.post(t, as, "k", "/exports", `{"kind":"orders"}`).job(http.StatusAccepted).ID
		}
		mine, theirs, stores := start(one.tokens[0]), start(two.tokens[0]), start(m.all)
		for as, want := range map[string][]string{
			one.tokens[0]: {mine}, two.tokens[0]: {theirs}, m.all: {stores, theirs, mine},
		} {
			if diff := cmp.Diff(want, s.do(t, request{As: as, Path: "/exports"}).list().ids()); diff != "" {
				t.Errorf("the list (-want +got):\n%s", diff)
			}
		}
		for _, id := range []string{theirs, stores} {
			s.do(t, request{As: one.tokens[0], Path: "/exports/" + id}).want(http.StatusNotFound, "not_found")
		}
		s.do(t, request{As: one.tokens[0], Path: "/exports/" + mine}).want(http.StatusOK, "")
		s.do(t, request{As: m.all, Path: "/exports/" + theirs}).want(http.StatusOK, "")
	})
}

// Valid bodies, and every error of an invalid one at once.
func TestExportBodies(t *testing.T) {
	s, m := sqlite(t)
	same := xid.Order.Format(fixed(2))
	filters := func(f string) string { return `{"kind":"orders","filters":` + f + `}` }
	for _, tc := range []struct {
		name, body string
		want       []string // nil if it is accepted
	}{
		{"the least", `{"kind":"customers"}`, nil},
		{"nulls", `{"kind":"orders","format":null,"compression":null,"filters":null}`, nil},
		{"nulls inside", filters(`{"created_from":null,"created_to":null,"status":null}`), nil},
		{"no filter", filters(`{}`), nil},
		{
			"every member", `{"kind":"products","format":"jsonl","compression":"gzip",` +
				`"filters":{"created_from":"2026-03-01T00:00:00+01:00","created_to":"2026-04-01T00:00:00Z",` +
				`"status":"draft"}}`, nil,
		},
		{
			"a microsecond", filters(`{"created_from":"2026-03-01T00:00:00.000001Z",` +
				`"created_to":"2026-03-01T00:00:00.000002Z"}`), nil,
		},

		{"nothing", ``, []string{"#/kind required"}},
		{"no kind", `{"format":"csv"}`, []string{"#/kind required"}},
		{"a null kind", `{"kind":null}`, []string{"#/kind required"}},
		{"an unknown kind", `{"kind":"people"}`, []string{"#/kind unknown_value"}},
		{"another case", `{"kind":"Orders"}`, []string{"#/kind unknown_value"}},
		{"an empty kind", `{"kind":""}`, []string{"#/kind unknown_value"}},
		{"no text", `{"kind":5,"format":true,"compression":[],"filters":"all"}`,
			[]string{"#/kind invalid_type", "#/format invalid_type",
				"#/compression invalid_type", "#/filters invalid_type"}},
		{"unknown values", `{"kind":"orders","format":"xlsx","compression":"zip"}`,
			[]string{"#/format unknown_value", "#/compression unknown_value"}},
		{"empty values", `{"kind":"orders","format":"","compression":""}`,
			[]string{"#/format unknown_value", "#/compression unknown_value"}},
		{"unknown members", `{"kind":"orders","email":"a@b.example","filters":{"state":"open"}}`,
			[]string{"#/email unknown_member", "#/filters/state unknown_member"}},
		{"a list of filters", filters(`[]`), []string{"#/filters invalid_type"}},
		{"bad times", filters(`{"created_from":"yesterday","created_to":20260301}`),
			[]string{"#/filters/created_from invalid_format", "#/filters/created_to invalid_type"}},
		{"a status of products", filters(`{"status":"draft"}`), []string{"#/filters/status unknown_value"}},
		{"attempts of what", `{"kind":"webhook_attempts"}`, []string{"#/webhook_id required"}},
		{"attempts of null", `{"kind":"webhook_attempts","webhook_id":null}`, []string{"#/webhook_id required"}},
		{"attempts of a number", `{"kind":"webhook_attempts","webhook_id":5}`, []string{"#/webhook_id invalid_type"}},
		{"attempts with a status", `{"kind":"webhook_attempts","webhook_id":"whk_1","filters":{"status":"waiting"}}`,
			[]string{"#/filters/status unknown_value"}},
		{"orders of an endpoint", `{"kind":"orders","webhook_id":"whk_1"}`, []string{"#/webhook_id unknown_value"}},
		{"orders of no endpoint", `{"kind":"orders","webhook_id":null}`, nil},
		{"an empty status", filters(`{"status":""}`), []string{"#/filters/status unknown_value"}},
		{"ids", filters(`{"ids":["` + xid.Order.Format(xid.New()) + `"]}`), nil},
		{"null ids", filters(`{"ids":null}`), nil},
		{"no ids", filters(`{"ids":[]}`), []string{"#/filters/ids too_short"}},
		{"ids of others", filters(`{"ids":["` + xid.Product.Format(xid.New()) + `",5,"x"]}`),
			[]string{"#/filters/ids/1 invalid_type",
				"#/filters/ids/0 invalid_format", "#/filters/ids/2 invalid_format"}},
		{"an id twice", filters(`{"ids":["` + same + `","` + same + `"]}`),
			[]string{"#/filters/ids/1 taken"}},
		{"too many ids", filters(`{"ids":[""` + strings.Repeat(`,""`, limit.ExportIDs) + `]}`),
			[]string{"#/filters/ids too_long"}},
		{"ids of attempts", `{"kind":"webhook_attempts","webhook_id":"whk_1","filters":{"ids":["att_1"]}}`,
			[]string{"#/filters/ids unknown_value"}},
		{"subscribers", `{"kind":"customers","filters":{"marketing_consent":"given"}}`, nil},
		{"any consent", `{"kind":"customers","filters":{"marketing_consent":null}}`, nil},
		{"orders of subscribers", filters(`{"marketing_consent":"given"}`),
			[]string{"#/filters/marketing_consent unknown_value"}},
		{"an unknown consent", `{"kind":"customers","filters":{"marketing_consent":"subscribed"}}`,
			[]string{"#/filters/marketing_consent unknown_value"}},
		{"a list of consents", `{"kind":"customers","filters":{"marketing_consent":["given"]}}`,
			[]string{"#/filters/marketing_consent invalid_type"}},
		{"no time between", filters(`{"created_from":"2026-03-01T00:00:00Z","created_to":"2026-03-01T01:00:00+01:00"}`),
			[]string{"#/filters/created_to out_of_range"}},
		{"everything at once", `{"kind":"orders","format":"xml","colour":1,"filters":{"created_from":1,` +
			`"status":"eaten","x/y":2}}`,
			[]string{"#/colour unknown_member", "#/filters/created_from invalid_type", "#/filters/x~1y unknown_member",
				"#/format unknown_value", "#/filters/status unknown_value"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := s.do(t, request{As: m.all, Method: http.MethodPost, Path: "/exports", Body: tc.body})
			if tc.want == nil {
				a.want(http.StatusAccepted, "")
				return
			}
			if diff := cmp.Diff(tc.want, a.want(422, "validation_failed").problem().places()); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// A store has a limited number of unfinished jobs, and the refusal is stored.
func TestExportLimit(t *testing.T) {
	s, m := sqlite(t, func(c *rest.Config) { c.Core.Limits[limit.Exports] = 5 })
	for i := range 5 {
		s.post(t, m.all, fmt.Sprint("k", i), "/exports", `{"kind":"orders"}`).want(http.StatusAccepted, "")
	}
	s.post(t, m.all, "full", "/exports", `{"kind":"orders"}`).want(http.StatusConflict, "limit_reached")
	if !replayed(s.post(t, m.all, "full", "/exports", `{"kind":"orders"}`).want(http.StatusConflict, "limit_reached")) {
		t.Error("the refusal was not kept")
	}
	other := newShop(t, s.store, shopRow{})
	s.post(t, other.all, "k", "/exports", `{"kind":"orders"}`).want(http.StatusAccepted, "")
}

// Pages are newest first, and a cursor belongs to its list and its caller.
func TestExportPages(t *testing.T) {
	s, m := sqlite(t)
	all := scope.Of(scope.ExportsWrite, scope.OrdersRead)
	app := m.install(all, all, all).tokens[0]
	var want []string
	for i := range 7 {
		as := m.all
		if i%2 == 0 {
			as = app
		}
		want = append(want, s.post(t, as, fmt.Sprint(i), "/exports", `{"kind":"orders"}`).job(http.StatusAccepted).ID)
	}
	slices.Reverse(want)
	var got []string
	for at, pages := "/exports?limit=3", 0; at != "" && pages < 10; pages++ {
		page := s.do(t, request{As: m.all, Path: at}).list()
		got = append(got, page.ids()...)
		at = ""
		if page.NextCursor != nil {
			at = "/exports?limit=3&cursor=" + *page.NextCursor
			if first := s.do(t, request{As: app, Path: at}).list().ids(); len(first) != 3 || first[0] != want[0] {
				t.Errorf("the store's cursor takes the app to %v", first)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the walk (-want +got):\n%s", diff)
	}
}
