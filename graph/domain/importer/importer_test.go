package importer_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/importjob"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/lib/blob"
	"github.com/storefront-go/storefront/graph/lib/variants"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// input returns an input for an import of a file.
func input(file string) model.ImportStartInput {
	return model.ImportStartInput{Kind: state.ImportProducts,
		Content: new(base64.StdEncoding.EncodeToString([]byte(file)))}
}

func start(t testing.TB, ctx context.Context, p *graphtest.Shop, in model.ImportStartInput) *model.Import {
	t.Helper()
	return graphtest.Must[*model.ImportPayload](t)(p.Mutation().ImportStart(ctx, in)).Import
}

// run starts an import, and returns it after its end.
func run(t testing.TB, p *graphtest.Shop, in model.ImportStartInput) *model.Import {
	t.Helper()
	return finish(t, p, start(t, p.Ctx, p, in))
}

func finish(t testing.TB, p *graphtest.Shop, i *model.Import) *model.Import {
	t.Helper()
	if _, err := p.RunImports(t.Context()); err != nil {
		t.Fatal(err)
	}
	return graphtest.Must[*model.Import](t)(p.Query().Import(p.Ctx, i.PublicID()))
}

// counts are what an import did: created, updated, unchanged, failed rows, and warnings.
func counts(i *model.Import) [5]int64 {
	return [5]int64{i.CreatedCount, i.UpdatedCount, i.UnchangedCount, i.FailedCount, i.WarningCount}
}

func findings(t testing.TB, p *graphtest.Shop, i *model.Import) (list []string) {
	t.Helper()
	found := graphtest.Must[*model.ImportFindingConnection](t)(p.Query().ImportFindings(p.Ctx, i.PublicID(), nil, nil))
	for _, f := range found.Nodes {
		list = append(list, fmt.Sprintf("%d %s %v: %s", f.Line, f.Record, f.Warning, f.Detail))
	}
	return list
}

// own matches the members of an export that belong to one store.
var own = regexp.MustCompile(`"(id|version|created_at|updated_at|published_at)":("[^"]*"|\d+|null),?`)

// exported returns the products of a store, oldest first, without their ids and times.
func exported(t testing.TB, p *graphtest.Shop) (file, kept string) {
	t.Helper()
	rows := graphtest.Must[[]*db.Product](t)(p.Client(p.Ctx).Product.Query().Order(product.ByID()).Load(p.Ctx))
	for _, row := range rows {
		whole := graphtest.Must[*db.Product](t)(p.ProductRow(p.Ctx, row.ID))
		file += string(wire.AppendProduct(nil, whole)) + "\n"
	}
	return file, own.ReplaceAllString(file, "")
}

// TestRoundTrip: an export that is imported into an empty store is exported with the same bytes.
func TestRoundTrip(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		mug := graphtest.Mug()
		mug.WeightGrams = new(int64(300))
		first := graphtest.NewProduct(t, p.Ctx, p.Resolver, mug)
		first = graphtest.Must[*model.ProductPayload](t)(
			p.Mutation().ProductPublish(p.Ctx, first.PublicID(), 1)).Product
		shirt := graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Shirt())
		other := p.Other(t)
		for _, s := range []*graphtest.Shop{p, other} {
			in := model.CustomFieldCreateInput{Owner: state.FieldsOfVariants, Name: "a.b", Label: "x",
				Type: state.FieldText}
			graphtest.Must[*model.CustomFieldPayload](t)(s.Mutation().CustomFieldCreate(s.Ctx, in))
		}
		for _, row := range []*db.Product{first, shirt} {
			in := model.ProductVariantUpdateInput{CustomFields: model.Given(document.CustomFields(`{"a.b":"=1"}`))}
			graphtest.Must[*model.ProductPayload](t)(p.Mutation().ProductVariantUpdate(p.Ctx, row.PublicID(),
				row.Version, variants.Of(row)[0].PublicID(), in))
		}
		file, want := exported(t, p)
		i := run(t, other, input(file))
		if got := counts(i); i.Status != state.ImportCompleted || got != [5]int64{2} {
			t.Fatalf("%s, %v, %q", i.Status, got, findings(t, other, i))
		}
		if _, got := exported(t, other); got != want {
			t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
		}
		if again := run(t, other, input(file)); counts(again) != [5]int64{0, 0, 2} {
			t.Errorf("again: %v", counts(again))
		}
		if self := run(t, p, input(file)); counts(self) != [5]int64{0, 0, 2} {
			t.Errorf("into its own store: %v", counts(self))
		}
		changed := strings.Replace(file, "Blue Mug", "Red Mug", 1)
		changed = strings.Replace(changed, `"price_minor":2000`, `"price_minor":2001`, 1)
		if c := run(t, other, input(changed)); counts(c) != [5]int64{0, 2} {
			t.Errorf("changed: %v, %q", counts(c), findings(t, other, c))
		}
		if log := p.Audited(t); !strings.Contains(log, "import.start") {
			t.Error(log)
		}
	})
}

const head = "handle,title,price,currency,inventory_quantity,status\n"

// TestFailedRows: a row that fails does not take others with it, whatever it fails for.
func TestFailedRows(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		graphtest.NewProduct(t, p.Ctx, p.Resolver, graphtest.Mug()) // blue-mug
		file := head + "a,A,1.00,EUR,3,active\nb,B,x,EUR,,\nc,C,1.00,XXX,,\nd,D,2.00,EUR,,draft\n,,,,,\n" +
			"e,E,1.00,USD,,active\nf,,1,EUR,,\ng,G,,EUR,,\n=h,H,1,EUR,,\na,A again,3.00,EUR,9,\n"
		i := run(t, p, input(file))
		want := []string{"3 b false: Line 3: the price \"x\" is not an amount in EUR.",
			"4 c false: Line 4: the price \"1.00\" is not an amount in XXX.",
			"7 e false: The store sells in EUR, but the product is priced in USD.",
			"8 f false: title: ", "9 g false: price_minor: ", "10 =h true: The handle \"=h\" is replaced"}
		got := findings(t, p, i)
		for n := range want {
			if n >= len(got) || !strings.HasPrefix(got[n], want[n]) {
				t.Errorf("got %q, want %q", got, want[n])
				break
			}
		}
		if i.Status != state.ImportCompleted || counts(i) != [5]int64{3, 1, 0, 5, 1} || i.Link == nil {
			t.Errorf("%s, %v", i.Status, counts(i))
		}
		query := p.Client(p.Ctx).Product.Query().Where(product.Handle("a"))
		a := graphtest.Must[*db.Product](t)(core.Only(query.Load(p.Ctx)))
		if a.Title != "A again" || a.PriceMinor != 300 || *a.InventoryQuantity != 3 || a.Status != state.ProductActive {
			t.Errorf("%v", a)
		}
	})
}

func TestDryRun(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		in := input(head + "a,A,1.00,EUR,,active\nb,B,x,EUR,,\n")
		in.DryRun = true
		i := run(t, p, in)
		n := graphtest.Must[int](t)(p.Client(p.Ctx).Product.Query().Count(p.Ctx))
		if counts(i) != [5]int64{1, 0, 0, 1} || n != 0 || i.Status != state.ImportCompleted {
			t.Errorf("%v, %d products, %s", counts(i), n, i.Status)
		}
		wet := run(t, p, model.ImportStartInput{Kind: state.ImportProducts, Source: new(i.PublicID())})
		if counts(wet) != [5]int64{1, 0, 0, 1} {
			t.Errorf("%v", counts(wet))
		}
	})
}

// TestKilled: an import that is killed again and again creates every product once.
func TestKilled(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		const rows = 450
		var file strings.Builder
		file.WriteString(head)
		for i := range rows {
			price := "1.00"
			if i%100 == 50 {
				price = "x"
			}
			fmt.Fprintf(&file, "p%d,P,%s,EUR,,\n", i, price)
		}
		i := killed(t, p, input(file.String()))
		if counts(i) != [5]int64{rows - 4, 0, 0, 4} || i.Status != state.ImportCompleted {
			t.Fatalf("%s, %v, %d of %d bytes", i.Status, counts(i), i.BytesDone, i.SizeBytes)
		}
		c := p.Client(p.Ctx)
		products := graphtest.Must[int](t)(c.Product.Query().Count(p.Ctx))
		events := graphtest.Must[int](t)(c.Outbox.Query().Count(p.Ctx))
		if products != rows-4 || events != products || len(findings(t, p, i)) != 4 {
			t.Errorf("%d products, %d events, %q", products, events, findings(t, p, i))
		}
	})
}

// killed runs an import whose process ends with every commit.
func killed(t testing.TB, p *graphtest.Shop, in model.ImportStartInput) *model.Import {
	t.Helper()
	i := start(t, p.Ctx, p, in)
	for kill := 0; i.CompletedAt == nil && kill < 50; kill++ {
		i = killOnce(t, p, i)
	}
	return i
}

// killOnce runs an import in a process that ends with its first commit.
func killOnce(t testing.TB, p *graphtest.Shop, i *model.Import) *model.Import {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	committed, stop := p.Resolver.Store.Listen()
	go func() {
		select {
		case <-committed:
			end()
		case <-ctx.Done():
		}
	}()
	_, _ = p.RunImports(ctx)
	stop()
	end()
	i = graphtest.Must[*model.Import](t)(p.Query().Import(p.Ctx, i.PublicID()))
	due(t, p, i)
	return i
}

// due makes a job due that a killed process had claimed.
func due(t testing.TB, p *graphtest.Shop, i *model.Import) {
	t.Helper()
	err := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
		return p.Client(ctx).ImportJob.Update().Where(importjob.ID(i.ID), importjob.CompletedAtIsNil()).SetDueAt(0).
			Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRequesterGone: an import ends when its requester loses access.
func TestRequesterGone(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		file := input(head + "a,A,1.00,EUR,,\n")
		member, as := p.Member(t, viewer.Admin)
		byMember := start(t, as, p, file)
		key := p.NewKey(t, p.Ctx, scope.ImportsWrite, scope.ProductsWrite)
		v := graphtest.Must[*viewer.Viewer](t)(p.Keys.Authenticate(t.Context(), *key.Secret, apikey.Key))
		byKey := start(t, viewer.With(p.Ctx, v), p, file)
		_, err := p.Mutation().StaffRemove(p.Ctx, member.PublicID(), nil)
		if err == nil {
			_, err = p.Mutation().APIKeyRevoke(p.Ctx, key.APIKey.PublicID())
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []*model.Import{byMember, byKey} {
			if i = finish(t, p, i); core.Deref(i.ErrorCode) != "requester_gone" || counts(i) != [5]int64{} {
				t.Errorf("%s by %s, %v", i.Status, i.RequesterType, counts(i))
			}
		}
	})
}

// TestGrantEnds: the import of an app ends when its grant ends in the middle, however that happens, and
// keeps what it wrote.
func TestGrantEnds(t *testing.T) {
	var file strings.Builder
	file.WriteString(head)
	const rows = 2000
	for n := range rows {
		fmt.Fprintf(&file, "p%d,P,1.00,EUR,,\n", n)
	}
	now := micros.Now()
	for name, end := range map[string]func(ctx context.Context, p *graphtest.Shop, a *model.App, g *db.Grant) error{
		"uninstalled": func(ctx context.Context, p *graphtest.Shop, a *model.App, _ *db.Grant) error {
			_, err := p.Mutation().InstalledAppRevoke(ctx, a.PublicID())
			return err
		},
		"revoked": func(ctx context.Context, p *graphtest.Shop, _ *model.App, g *db.Grant) error {
			return p.Client(ctx).Grant.Update().Where(grant.ID(g.ID)).SetRevokedAt(now).Exec(ctx)
		},
		"expired": func(ctx context.Context, p *graphtest.Shop, _ *model.App, g *db.Grant) error {
			_, err := p.Client(ctx).ExecContext(ctx, "UPDATE grants SET expires_at = ? WHERE store_id = ? AND id = ?", now,
				g.StoreID, g.ID)
			return err
		},
		"idle": func(ctx context.Context, p *graphtest.Shop, _ *model.App, g *db.Grant) error {
			return p.Client(ctx).Grant.Update().Where(grant.ID(g.ID)).SetRefreshExpiresAt(now).Exec(ctx)
		},
		"app narrowed": func(ctx context.Context, p *graphtest.Shop, a *model.App, _ *db.Grant) error {
			return p.Client(ctx).App.Update().Where(app.ID(a.ID)).SetScopes(scope.ImportsWrite).Exec(ctx)
		},
		"app disabled": func(ctx context.Context, p *graphtest.Shop, a *model.App, _ *db.Grant) error {
			return p.Client(ctx).App.Update().Where(app.ID(a.ID)).SetDisabledAt(now).Exec(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
				scopes := []string{scope.ImportsWrite, scope.ProductsWrite}
				a := p.NewApp(t, scopes...)
				as, _ := p.AsApp(t, a, scopes...)
				g := p.AddGrants(t, a, 1, func(_ int, g *db.GrantCreate) { g.SetScopes(strings.Join(scopes, " ")) })[0]
				viewer.From(as).Grant = g.ID
				i := start(t, as, p, input(file.String()))
				for n := 0; i.CreatedCount == 0 && n < 50; n++ {
					i = killOnce(t, p, i)
				}
				p.WriteRows(t, func(ctx context.Context, _ *db.Client) error { return end(ctx, p, a, g) })
				made := i.CreatedCount
				i = finish(t, p, i)
				if core.Deref(i.ErrorCode) != "requester_gone" || i.CreatedCount != made || made%rows == 0 {
					t.Errorf("%s, %v after %d", i.Status, counts(i), made)
				}
			})
		})
	}
}

func TestRefusedStarts(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		other := p.Other(t)
		theirs := start(t, other.Ctx, other, input("{}"))
		key := graphtest.AsKey(p.Ctx, scope.ImportsWrite)
		two, mapped := input("x"), input("x")
		two.URL = new("https://example.com/x")
		mapped.Mapping = []*model.ImportColumnInput{{Column: "a", Member: new("x")}}
		of := model.ImportStartInput{Kind: state.ImportProducts}
		source, garbled, plain := of, of, of
		source.Source, garbled.Content, plain.URL = new(theirs.PublicID()), new("%"), new("http://example.com/")
		for name, tc := range map[string]struct {
			ctx  context.Context
			in   model.ImportStartInput
			want string
		}{
			"no scope":             {key, input("x"), "insufficient_scope"},
			"two files":            {p.Ctx, two, "#/content required"},
			"another store's file": {p.Ctx, source, "#/source unknown_value"},
			"not base64":           {p.Ctx, garbled, "#/content invalid_format"},
			"http":                 {p.Ctx, plain, "#/url invalid_format"},
			"member":               {p.Ctx, mapped, "#/mapping/0/member unknown_value"},
		} {
			_, err := p.Mutation().ImportStart(tc.ctx, tc.in)
			if got := graphtest.FieldOf(err); got != tc.want && graphtest.FaultOf(err) != tc.want {
				t.Errorf("%s: got %q", name, err)
			}
		}
		if _, err := p.Query().Import(p.Ctx, theirs.PublicID()); graphtest.FaultOf(err) != "not_found" {
			t.Errorf("another store's import: %v", err)
		}
		for range 5 {
			start(t, p.Ctx, p, input("{}"))
		}
		if _, err := p.Mutation().ImportStart(p.Ctx, input("{}")); graphtest.FaultOf(err) != "limit_reached" {
			t.Errorf("a sixth import: %v", err)
		}
	})
}

func TestCancelled(t *testing.T) {
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		i := start(t, p.Ctx, p, input(head+"a,A,1.00,EUR,,\n"))
		graphtest.Must[*model.ImportPayload](t)(p.Mutation().ImportCancel(p.Ctx, i.PublicID()))
		if i = finish(t, p, i); i.Status != state.ImportCancelled || counts(i) != [5]int64{} {
			t.Errorf("%s, %v", i.Status, counts(i))
		}
		_, err := p.Mutation().ImportCancel(p.Ctx, i.PublicID())
		if graphtest.FaultOf(err) != "invalid_transition" {
			t.Errorf("again: %v", err)
		}
		due := p.Resolver.Store.InTx(p.Ctx, func(ctx context.Context) error {
			return p.Client(ctx).ImportJob.Update().SetDueAt(0).Exec(ctx)
		})
		_, err = p.RunImports(t.Context())
		if n, _ := p.Client(p.Ctx).ImportJob.Query().Count(p.Ctx); n != 0 || err != nil || due != nil {
			t.Errorf("%d jobs are kept for ever, %v", n, err)
		}
	})
}

// TestFetched: a file is fetched from a public host only, and whole.
func TestFetched(t *testing.T) {
	host := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/good":
			_, _ = w.Write([]byte(head + "a,A,1.00,EUR,,\n"))
		case "/zip":
			_, _ = w.Write([]byte("PK\x03\x04"))
		case "/short":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(head))
		case "/redirect":
			http.Redirect(w, r, "https://10.0.0.1/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer host.Close()
	graphtest.EachShop(t, func(t *testing.T, p *graphtest.Shop) {
		blobs := graphtest.Must[*blob.Store](t)(blob.Open(t.Context(), "", t.TempDir()))
		defer blobs.Close()
		e := p.Engines
		e.Images = graphtest.NewImageKeeper(t, p.Resolver.Store, blobs, host)
		p.Use(e)
		for path, want := range map[string]string{host.URL + "/good": "", host.URL + "/zip": "invalid_file",
			host.URL + "/short": "file_unreachable", host.URL + "/redirect": "file_unreachable",
			host.URL + "/none": "file_unreachable", "https://192.168.1.1/x": "file_unreachable"} {
			i := run(t, p, model.ImportStartInput{Kind: state.ImportProducts, URL: &path})
			if core.Deref(i.ErrorCode) != want || (want == "") != (i.Status == state.ImportCompleted) {
				t.Errorf("%s: %s, %v", path, i.Status, core.Deref(i.ErrorMessage))
			}
		}
	})
}
