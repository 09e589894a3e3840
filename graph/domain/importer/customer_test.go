package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/audit"
	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// customerInput returns an input for an import of customers.
func customerInput(file string) model.ImportStartInput {
	in := input(file)
	in.Kind = state.ImportCustomers
	return in
}

func customerOf(t testing.TB, p *graphtest.Shop, email string) *db.Customer {
	t.Helper()
	query := p.Client(p.Ctx).Customer.Query().Where(customer.Email(email))
	return graphtest.Must[*db.Customer](t)(core.Only(query.Load(p.Ctx)))
}

// TestCustomerRoundTrip: an export of customers is imported with all members, the time of the consent
// included, and imported again changes nothing.
func TestCustomerRoundTrip(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		made := graphtest.NewCustomer(t, p.Ctx, p.Resolver, graphtest.Ada())
		file := string(wire.AppendCustomer(nil, made.Customer, "EUR")) + "\n"
		other := p.Other(t)
		i := run(t, other, customerInput(file))
		if counts(i) != [5]int64{1, 0, 0, 0, 0} {
			t.Fatalf("%v, %q", counts(i), findings(t, other, i))
		}
		theirs := customerOf(t, other, "ada@example.com")
		if *theirs.EmailMarketingSource != state.ConsentImport {
			t.Errorf("they consented by %s", *theirs.EmailMarketingSource)
		}
		theirs.EmailMarketingSource = made.Customer.EmailMarketingSource
		want := own.ReplaceAllString(file, "")
		if got := own.ReplaceAllString(string(wire.AppendCustomer(nil, theirs, "EUR")), "") + "\n"; got != want {
			t.Error(cmp.Diff(want, got))
		}
		if again := run(t, other, customerInput(file)); counts(again) != [5]int64{0, 0, 1, 0, 0} {
			t.Errorf("again: %v", counts(again))
		}
		changed := strings.Replace(file, "Likes engines.", "Likes looms.", 1)
		if c := run(t, other, customerInput(changed)); counts(c) != [5]int64{0, 1, 0, 0, 0} {
			t.Errorf("changed: %v, %q", counts(c), findings(t, other, c))
		}
		events := graphtest.EventTypes(t, other.Ctx, other.Resolver, theirs.ID, 2)
		if !cmp.Equal(events, []string{"customer.created", "customer.updated"}) {
			t.Errorf("events: %v", events)
		}
	})
}

// TestConsent: a subscription counts only with its time and source, and the latest choice is kept.
func TestConsent(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const head = "email,email_marketing,email_marketing_at,email_marketing_source\n"
		for _, tc := range []struct {
			name, row string
			want      state.EmailMarketing
			counts    [5]int64
		}{
			{"no time", "subscribed,,checkout", state.EmailNotSubscribed, [5]int64{1, 0, 0, 0, 1}},
			{"no source", "yes,2024-01-01,", state.EmailNotSubscribed, [5]int64{0, 0, 1, 0, 1}},
			{"in the future", "yes,2124-01-01,checkout", state.EmailNotSubscribed, [5]int64{0, 0, 0, 1}},
			{"both", "yes,2024-01-01,checkout", state.EmailSubscribed, [5]int64{0, 1}},
			{"again", "yes,2024-01-01,checkout", state.EmailSubscribed, [5]int64{0, 0, 1}},
			{"older", "unsubscribed,2023-01-01,mail", state.EmailSubscribed, [5]int64{0, 0, 1}},
			{"undated", "unsubscribed,,", state.EmailSubscribed, [5]int64{0, 0, 1}},
			{"newer", "unsubscribed,2025-01-01,mail", state.EmailUnsubscribed, [5]int64{0, 1}},
			{"before it", "subscribed,2024-06-01,checkout", state.EmailUnsubscribed, [5]int64{0, 0, 1}},
			{"unknown", "maybe,,", state.EmailUnsubscribed, [5]int64{0, 0, 0, 1}},
		} {
			i := run(t, p, customerInput(head+"ada@example.com,"+tc.row+"\n"))
			if got := customerOf(t, p, "ada@example.com"); got.EmailMarketing != tc.want || counts(i) != tc.counts {
				t.Errorf("%s: %s, %v, %q", tc.name, got.EmailMarketing, counts(i), findings(t, p, i))
			}
		}
		ada := customerOf(t, p, "ada@example.com")
		year, by := ada.EmailMarketingAt.Time().UTC().Year(), *ada.EmailMarketingSource
		if year != 2025 || by != state.ConsentImport {
			t.Errorf("chosen in %d by %s", year, by)
		}
		query := p.Client(p.Ctx).Audit.Query().Where(audit.Detail("consent from: checkout"))
		if n := graphtest.Must[int](t)(query.Count(p.Ctx)); n != 1 {
			t.Errorf("%d audit rows say where the customer agreed", n)
		}
	})
}

// TestCustomerRows: rows that fail do not take others with them, and errors name no person.
func TestCustomerRows(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		file := "id,email,first_name,phone,default_address_country\n1,A@example.com,Ada,,\n2,,Bob,,\n3,no address,Cid,,\n" +
			"4,a@example.com,Ada,+441,\n5,b@example.com,Bob,,gb\n6,a@example.com,Ada,+441,\n"
		dry := customerInput(file)
		dry.DryRun = true
		want := [5]int64{2, 1, 1, 2, 1}
		if i := run(t, p, dry); counts(i) != [5]int64{3, 0, 1, 2, 1} { // it keeps no row before one that fails
			t.Errorf("dry: %v, %q", counts(i), findings(t, p, i))
		}
		i := run(t, p, customerInput(file))
		got := strings.Join(findings(t, p, i), "\n")
		if counts(i) != want || strings.Contains(got, "@") || strings.Contains(got, "Bob") || i.Link == nil {
			t.Errorf("%v, %s", counts(i), got)
		}
		if n := graphtest.Must[int](t)(p.Client(p.Ctx).Customer.Query().Count(p.Ctx)); n != 2 {
			t.Errorf("%d customers", n)
		}
		key := graphtest.AsKey(p.Ctx, scope.ImportsWrite, scope.ImportsRead, scope.CustomersRead)
		_, err := p.Mutation().ImportStart(key, customerInput(file))
		if graphtest.FaultOf(err) != "insufficient_scope" {
			t.Errorf("without customers.write: %v", err)
		}
		reader := graphtest.AsKey(p.Ctx, scope.ImportsRead, scope.ProductsRead)
		shown := graphtest.Must[*model.Import](t)(p.Query().Import(reader, i.PublicID()))
		if shown.Link != nil {
			t.Error("the failed rows are shown without customers.read")
		}
	})
}

// TestCustomersKilled: an import that is killed at each chunk creates every customer once.
func TestCustomersKilled(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const rows = 250
		var file strings.Builder
		file.WriteString("email,first_name\n")
		for n := range rows {
			fmt.Fprintf(&file, "c%d@example.com,C\n", n)
		}
		i := killed(t, p, customerInput(file.String()))
		n := graphtest.Must[int](t)(p.Client(p.Ctx).Customer.Query().Count(p.Ctx))
		events := graphtest.Must[int](t)(p.Client(p.Ctx).Outbox.Query().Count(p.Ctx))
		if counts(i) != [5]int64{rows} || n != rows || events != rows {
			t.Errorf("%v, %d customers, %d events", counts(i), n, events)
		}
	})
}
