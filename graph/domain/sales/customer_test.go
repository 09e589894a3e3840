package sales_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db/customer"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

// sameCustomer fails unless the customer equals the stored one.
func sameCustomer(t testing.TB, ctx context.Context, r *graph.Resolver, c *model.Customer) {
	t.Helper()
	read := graphtest.Must[*model.Customer](t)(r.Query().Customer(ctx, c.PublicID()))
	if d := cmp.Diff(read.Customer.String()+string(read.Addresses)+string(read.Tags),
		c.Customer.String()+string(c.Addresses)+string(c.Tags)); d != "" {
		t.Errorf("stored and returned differ:\n%s", d)
	}
}

func TestCustomerCreate(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		c := graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		if *c.Email != "ada@example.com" || c.DisplayName() != "Ada Lovelace" || c.Currency != "EUR" ||
			c.Version != 1 || !strings.Contains(string(c.DefaultAddress), `"country":"GB"`) {
			t.Errorf("created %v with address %s", c, c.DefaultAddress)
		}
		sameCustomer(t, ctx, r, c)
		if d := cmp.Diff([]string{"customer.created"},
			graphtest.EventTypes(t, ctx, r, c.ID, c.EventSequence)); d != "" {
			t.Error(d)
		}
		bare := graphtest.NewCustomer(t, ctx, r,
			model.CustomerCreateInput{Status: state.CustomerGuest, EmailMarketing: state.EmailNotSubscribed})
		if bare.DefaultAddress != nil || string(bare.Addresses) != "[]" || string(bare.Tags) != "[]" ||
			bare.DisplayName() != "Customer" {
			t.Errorf("created %v", bare)
		}
		sameCustomer(t, ctx, r, bare)
		// The operator's context has no currency, so the store's own is shown.
		operator := viewer.Operator(ctx, viewer.From(ctx).Store)
		if got := graphtest.Must[*model.Customer](t)(r.Query().Customer(operator,
			c.PublicID())); got.Currency != "EUR" {
			t.Errorf("currency %q for the operator", got.Currency)
		}
	})
}

func TestCustomerRefused(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		for _, tc := range []struct {
			name   string
			change func(*model.CustomerCreateInput)
			want   string
		}{
			{"email taken, in another case", func(in *model.CustomerCreateInput) { in.Email = new("ADA@example.COM") },
				"#/email taken"},
			{"no email address", func(in *model.CustomerCreateInput) { in.Email = new("ada") },
				"#/email invalid_format"},
			{"empty email address", func(in *model.CustomerCreateInput) { in.Email = new("") }, "#/email too_short"},
			{"long email address",
				func(in *model.CustomerCreateInput) { in.Email = new(strings.Repeat("a", 243) + "@example.com") },
				"#/email too_long"},
			{"long phone", func(in *model.CustomerCreateInput) { in.Phone = new(strings.Repeat("1", 65)) },
				"#/phone too_long"},
			{"blank name", func(in *model.CustomerCreateInput) { in.FirstName = new(" ") }, "#/first_name too_short"},
			{"long name", func(in *model.CustomerCreateInput) { in.LastName = new(strings.Repeat("é", 256)) },
				"#/last_name too_long"},
			{"locale", func(in *model.CustomerCreateInput) { in.Locale = new("en_GB") }, "#/locale invalid_format"},
			{"disabled from the start", func(in *model.CustomerCreateInput) { in.Status = state.CustomerDisabled },
				"#/status unknown_value"},
			{"consent", func(in *model.CustomerCreateInput) { in.EmailMarketing = "maybe" },
				"#/email_marketing unknown_value"},
			{"default address", func(in *model.CustomerCreateInput) { in.DefaultAddress.Country = "GBR" },
				"#/default_address/country invalid_format"},
			{"an address", func(in *model.CustomerCreateInput) {
				in.DefaultAddress = nil
				in.Addresses = append(in.Addresses, &model.AddressInput{Line1: "1", City: "", Country: "GB"})
			}, "#/addresses/1/city too_short"},
			{"51 addresses", func(in *model.CustomerCreateInput) { in.Addresses = slices.Repeat(in.Addresses, 51) },
				"#/addresses too_long"},
			{"long note", func(in *model.CustomerCreateInput) { in.Note = new(strings.Repeat("x", 5001)) },
				"#/note too_long"},
			{"51 tags", func(in *model.CustomerCreateInput) { in.Tags = make([]string, 51) }, "#/tags too_long"},
			{"from the future", func(in *model.CustomerCreateInput) { in.CreatedAt = new(micros.Now() + 1e9) },
				"#/created_at out_of_range"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				in := graphtest.Ada()
				in.Email = new("grace@example.com")
				tc.change(&in)
				_, err := r.Mutation().CustomerCreate(ctx, in)
				if graphtest.FaultOf(err) != "validation_failed" || graphtest.FieldOf(err) != tc.want {
					t.Errorf("%v, want %s", err, tc.want)
				}
			})
		}
	})
}

func TestCustomerUpdate(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		c := graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		other := graphtest.Ada()
		other.Email = new("grace@example.com")
		graphtest.NewCustomer(t, ctx, r, other)
		update := func(version int64, in model.CustomerUpdateInput) (*model.CustomerPayload, error) {
			return r.Mutation().CustomerUpdate(ctx, c.PublicID(), version, in)
		}
		p, err := update(1, model.CustomerUpdateInput{
			Email: model.Some("Countess@Example.com"), Phone: graphtest.Given[*string](nil),
			LastName:       model.Some("King"),
			FirstName:      model.Some("Ada"), // unchanged
			DefaultAddress: graphtest.Given[*model.AddressInput](nil),
			Addresses:      graphtest.Given[[]*model.AddressInput](nil), Tags: graphtest.Given([]string{"b", "a"}),
			EmailMarketing: model.Some(state.EmailUnsubscribed),
		})
		if err != nil {
			t.Fatal(err)
		}
		got := p.Customer
		if *got.Email != "countess@example.com" || got.Phone != nil || *got.LastName != "King" ||
			got.DefaultAddress != nil || string(got.Addresses) != "[]" || string(got.Tags) != `["b","a"]` ||
			got.Version != 2 || got.UpdatedAt <= c.ID.Time() {
			t.Errorf("changed to %v", got)
		}
		sameCustomer(t, ctx, r, got)
		want := `"changed_fields":["email","phone","last_name","email_marketing","default_address","addresses","tags"]`
		if body := graphtest.LastEvent(t, ctx, r, c.ID); !strings.Contains(body, want) ||
			!strings.Contains(body, `"type":"customer.updated"`) {
			t.Errorf("event %s\nwant %s", body, want)
		}
		if p, err = update(2,
			model.CustomerUpdateInput{Phone: graphtest.Given[*string](nil),
				LastName: model.Some("King")}); err != nil ||
			p.Customer.Version != 2 {
			t.Errorf("no change: %v, %v", p, err)
		}
		for name, tc := range map[string]struct {
			version int64
			in      model.CustomerUpdateInput
			want    string
		}{
			"stale": {1, model.CustomerUpdateInput{LastName: model.Some("X")}, "version_mismatch"},
			"taken": {2, model.CustomerUpdateInput{Email: model.Some("GRACE@example.com")}, "#/email taken"},
			"null member": {2, model.CustomerUpdateInput{EmailMarketing: graphtest.Given[*state.EmailMarketing](nil)},
				"#/email_marketing required"},
			"bad members": {2, model.CustomerUpdateInput{Email: model.Some("x")}, "#/email invalid_format"},
		} {
			if _, err := update(tc.version, tc.in); graphtest.FaultOf(err) != tc.want &&
				graphtest.FieldOf(err) != tc.want {
				t.Errorf("%s: %v, want %s", name, err, tc.want)
			}
		}
		graphtest.EventTypes(t, ctx, r, c.ID, 2)
	})
}

func TestCustomerStates(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		m := r.Mutation()
		moves := map[string]func(context.Context, string, int64) (*model.CustomerPayload, error){
			"disable": m.CustomerDisable, "enable": m.CustomerEnable, "redact": m.CustomerRedact,
			"update": func(ctx context.Context, id string, version int64) (*model.CustomerPayload, error) {
				return m.CustomerUpdate(ctx, id, version, model.CustomerUpdateInput{Note: model.Some("changed")})
			},
		}
		for _, tc := range []struct{ from, way, want string }{
			{"guest", "disable", "disabled"}, {"guest", "enable", ""}, {"guest", "redact", "redacted"},
			{"active", "disable", "disabled"}, {"active", "enable", ""}, {"active", "redact", "redacted"},
			{"active", "disable disable", ""}, {"active", "disable enable", "active"},
			{"active", "disable redact", "redacted"}, {"guest", "disable enable", "active"},
			{"active", "disable update", "disabled"}, {"active", "redact disable", ""}, {"active", "redact enable", ""},
			{"active", "redact redact", ""}, {"active", "redact update", ""},
		} {
			in := graphtest.Ada()
			in.Email, in.Status = nil, state.CustomerStatus(tc.from)
			c := graphtest.NewCustomer(t, ctx, r, in)
			for move := range strings.SplitSeq(tc.way, " ") {
				p, err := moves[move](ctx, c.PublicID(), c.Version)
				if err != nil {
					if tc.want != "" || graphtest.FaultOf(err) != "invalid_transition" ||
						!strings.HasSuffix(tc.way, move) {
						t.Errorf("%s %s: %v", tc.from, tc.way, err)
					}
					c = nil
					break
				}
				c = p.Customer
				sameCustomer(t, ctx, r, c)
			}
			if c != nil && string(c.Status) != tc.want {
				t.Errorf("%s %s: %s, want %q", tc.from, tc.way, c.Status, tc.want)
			}
		}
		for _, id := range []string{xid.Customer.Format(xid.New()), "cus_x", xid.Order.Format(xid.New())} {
			for name, move := range moves {
				if _, err := move(ctx, id, 1); graphtest.FaultOf(err) != "not_found" {
					t.Errorf("%s of %s: %v", name, id, err)
				}
			}
			if _, err := r.Query().Customer(ctx, id); graphtest.FaultOf(err) != "not_found" {
				t.Errorf("read of %s: %v", id, err)
			}
		}
	})
}

// Of two concurrent changes of one version, one succeeds.
func TestCustomerRace(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		c := graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		errs := make([]error, 8)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = r.Mutation().CustomerDisable(ctx, c.PublicID(), 1) })
		}
		wg.Wait()
		made := 0
		for _, err := range errs {
			switch graphtest.FaultOf(err) {
			case "":
				made++
			case "version_mismatch":
			default:
				t.Error(err)
			}
		}
		if made != 1 {
			t.Errorf("%d of %d changes succeeded", made, len(errs))
		}
		graphtest.EventTypes(t, ctx, r, c.ID, 2)
	})
}

func TestCustomers(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		var want []string
		for i := range 7 {
			in := model.CustomerCreateInput{Status: state.CustomerGuest, EmailMarketing: state.EmailNotSubscribed,
				CreatedAt: new(micros.Time(1e15 + int64(i/2)))} // ties
			c := graphtest.NewCustomer(t, ctx, r, in)
			if c.UpdatedAt <= c.CreatedAt() {
				t.Errorf("an import of now changed at %v: a sync would miss it", c.UpdatedAt)
			}
			err := r.Store.InTx(ctx, func(ctx context.Context) error {
				return r.Client(ctx).Customer.Update().Where(customer.ID(c.ID)).SetUpdatedAt(c.CreatedAt()).Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, c.PublicID())
		}
		slices.Sort(want)
		slices.Reverse(want)
		walk := func(filter *model.CustomerFilter, first int) (got []string) {
			var after *string
			for {
				p := graphtest.Must[*model.CustomerConnection](t)(r.Query().Customers(ctx, &first, after, filter,
					nil, nil))
				for _, c := range p.Nodes {
					got = append(got, c.PublicID())
				}
				if p.Next == "" {
					return got
				}
				after = &p.Next
			}
		}
		if d := cmp.Diff(want, walk(nil, 2)); d != "" {
			t.Errorf("newest first (-want +got):\n%s", d)
		}
		slices.Reverse(want)
		if d := cmp.Diff(want, walk(&model.CustomerFilter{UpdatedFrom: new(micros.Time(1e15))}, 3)); d != "" {
			t.Errorf("oldest change first (-want +got):\n%s", d)
		}
		if d := cmp.Diff(want[2:], walk(&model.CustomerFilter{UpdatedFrom: new(micros.Time(1e15 + 1))}, 3)); d != "" {
			t.Errorf("updated from (-want +got):\n%s", d)
		}
		c := graphtest.NewCustomer(t, ctx, r, graphtest.Ada())
		for email, n := range map[string]int{"ADA@example.com": 1, "ada@example.com": 1, "ada@example.co": 0, "": 0} {
			got := walk(&model.CustomerFilter{Email: &email}, 1)
			if len(got) != n || n == 1 && got[0] != c.PublicID() {
				t.Errorf("email %q: %v", email, got)
			}
		}
		if got := walk(&model.CustomerFilter{Email: c.Email, UpdatedFrom: new(micros.Now() + 1e9)}, 1); len(got) != 0 {
			t.Errorf("both filters: %v", got)
		}
	})
}

func TestCustomerForms(t *testing.T) {
	for _, tc := range []struct {
		text string
		ok   bool
	}{
		{"a@b.c", true}, {"a@localhost", true}, {"first.last+tag@mail.example.com", true}, {"o'brien@example.ie", true},
		{"ünï@exämple.de", true}, {"a@xn--exmple-cua.de", true},
		{"a", false}, {"@b.c", false}, {"a@", false}, {"a@b", false}, {"a@b@c.d", false}, {"a b@c.d", false},
		{"a@b c.d", false}, {"a@b.c\n", false}, {"<a@b.c>", false}, {"a@.c", false}, {"a@b.", false}, {"a@b..c", false},
		{".a@b.c", false}, {"a.@b.c", false}, {"a@-b.c", false}, {"a@b-.c", false}, {`"a"@b.c`, false},
		{"a@[127.0.0.1]", false}, {"a\xff@b.c", false}, {"a\u200b@b.c", false},
	} {
		c := &core.Check{}
		if c.Email("email", tc.text); (c.Err() == nil) != tc.ok {
			t.Errorf("email %q: %v, want accepted: %v", tc.text, c.Err(), tc.ok)
		}
	}
	for _, tc := range []struct {
		text string
		ok   bool
	}{
		{"de", true}, {"pt-BR", true}, {"zh-Hant-TW", true}, {"es-419", true}, {"gsw", true}, {"de-CH-1901", true},
		{"", false}, {"d", false}, {"d3", false}, {"de_DE", false}, {"de-", false}, {"-de", false}, {"de--DE", false},
		{"de-abcdefghi", false}, {"deutschland", false}, {"de DE", false},
		{"de-" + strings.Repeat("abcdefg-", 5), false},
	} {
		c := &core.Check{}
		if c.Locale("locale", tc.text); (c.Err() == nil) != tc.ok {
			t.Errorf("locale %q: %v, want accepted: %v", tc.text, c.Err(), tc.ok)
		}
	}
}

// An address that only looks like another one belongs to another customer. One that an earlier
// release stored with lowercased letters of other scripts is still found.
func TestLookAlikeAddresses(t *testing.T) {
	graphtest.EachCore(t, func(t *testing.T, ctx context.Context, r *graph.Resolver) {
		create := func(email string) *model.Customer {
			return graphtest.Must[*model.CustomerPayload](t)(r.Mutation().CustomerCreate(ctx,
				model.CustomerCreateInput{Status: state.CustomerGuest, EmailMarketing: state.EmailNotSubscribed,
					Email: &email})).Customer
		}
		found := func(email string) (ids []string) {
			list := graphtest.Must[*model.CustomerConnection](t)(r.Query().Customers(ctx, nil, nil,
				&model.CustomerFilter{Email: &email}, nil, nil))
			for _, c := range list.Nodes {
				ids = append(ids, c.PublicID())
			}
			return ids
		}
		plain, kelvin := create("Kim@example.com"), create("\u212aim@example.com")
		former := create("m\u00fcller@example.com")
		for email, want := range map[string]*model.Customer{"KIM@example.com": plain, "\u212aIM@example.com": kelvin,
			"M\u00dcLLER@example.com": former, "\u0130@example.com": nil} {
			ids := found(email)
			if want == nil && len(ids) != 0 || want != nil && (len(ids) != 1 || ids[0] != want.PublicID()) {
				t.Errorf("%q finds %q", email, ids)
			}
		}
	})
}
