package layout

import (
	"slices"
	"strings"
)

// order is the order of the layers: a package imports its own layer and those before it.
var order = []string{"ent", "graph", "rest", "cmd"}

// words are the packages of the vocabulary, which every layer uses.
var words = []string{
	"ent/scope", "ent/fault", "ent/event", "ent/xid", "ent/micros", "ent/currency",
	"ent/bucket", "ent/state", "ent/limit", "ent/document", "ent/digest", "ent/cell", "ent/viewer", "ent/mailbox",
}

// domains are the packages of operations, with the other domains that each builds on.
// All may import graph/core, the engines and the libraries; the core knows no engine but change.
var domains = map[string][]string{
	"graph/domain/access":      {"graph/domain/endpoint", "graph/domain/report"}, // access ends with its exports
	"graph/domain/appearance":  nil,
	"graph/domain/cart":        {"graph/domain/sales", "graph/domain/selling"}, // a cart becomes an order
	"graph/domain/catalog":     nil,
	"graph/domain/content":     nil,
	"graph/domain/customfield": nil,
	"graph/domain/endpoint":    nil,
	"graph/domain/location":    nil,
	// A row of a file becomes a product, a customer, a discount or an order.
	"graph/domain/importer": {"graph/domain/catalog", "graph/domain/sales", "graph/domain/selling"},
	"graph/domain/merchant": {"graph/domain/access"}, // a store begins with its owner
	"graph/domain/report":   nil,
	"graph/domain/invoice":  nil,
	// orders count the uses of discounts, and have invoices
	"graph/domain/sales":      {"graph/domain/invoice", "graph/domain/selling"},
	"graph/domain/selling":    nil,
	"graph/domain/shopper":    {"graph/domain/sales"},                         // an account belongs to a customer
	"graph/domain/storefront": {"graph/domain/sales"},                         // the order page shows the due date
	"graph/domain/teststore":  {"graph/domain/catalog", "graph/domain/sales"}, // samples use the ordinary operations
}

// arrows are the only imports between engines, between libraries, and from either of them to the
// generated code and its models. Engines may import every library.
var arrows = map[string][]string{
	"graph/engine/audit":  {"graph/engine/task"}, // rows in another owner's log
	"graph/engine/change": {"graph/engine/audit", "graph/engine/outbox"},
	"graph/engine/domain": {
		"graph/engine/audit", "graph/engine/lease", "graph/engine/notify", "graph/engine/work",
	},
	"graph/engine/erase": {
		"graph/engine/change", "graph/engine/export", "graph/engine/idem", "graph/engine/index/search",
		"graph/engine/notify", "graph/engine/outbox",
	},
	"graph/engine/export": {
		"graph/engine/change", "graph/engine/images", "graph/engine/lease", "graph/engine/notify",
		"graph/engine/work",
	},
	"graph/engine/passkey":        {"graph/engine/factor/factortest"}, // in tests
	"graph/engine/factor":         {"graph/engine/audit", "graph/engine/notify", "graph/engine/session"},
	"graph/engine/index/listings": {"graph/engine/backfill"},
	"graph/engine/stock":          {"graph/engine/notify"},
	"graph/engine/task":           {"graph/engine/lease"},
	// words are folded as those of storefronts
	"graph/engine/index/search": {"graph/engine/backfill", "graph/engine/index/listings"},
	"graph/engine/install": {
		"graph/engine/change", "graph/engine/lease", "graph/engine/notify", "graph/engine/work",
	},
	"graph/engine/notify": {"graph/engine/audit", "graph/engine/lease", "graph/engine/work"},
	"graph/engine/oauth": {
		"graph/engine/apikey", "graph/engine/audit", "graph/engine/change", "graph/engine/notify",
	},
	"graph/engine/session": {"graph/engine/audit"},
	"graph/engine/webhook": {
		"graph/engine/change", "graph/engine/lease", "graph/engine/notify", "graph/engine/outbox",
		"graph/engine/rollup", "graph/engine/work", "graph/model",
	},
	"graph/engine/webhook/selection": {"graph/internal/exec"}, // its schema

	"graph/lib/cost": {"graph/lib/page"},
	// The discount of an order is spread over its lines; cells are those of exports.
	"graph/lib/intake":       {"graph/lib/csvcell", "graph/lib/price"},
	"graph/lib/link":         {"graph/lib/keyring"},
	"graph/lib/page":         {"graph/lib/keyring"},
	"graph/lib/paper":        {"graph/lib/country", "graph/lib/phrase", "graph/lib/price"},
	"graph/lib/password":     {"graph/lib/ratelimit"}, // callers that wait to hash take turns by network
	"graph/lib/price":        {"graph/lib/country"},
	"graph/lib/ratelimit":    {"graph/lib/wire"}, // Retry-After, in whole seconds
	"graph/lib/theme":        {"graph/lib/render", "graph/lib/wire"},
	"graph/lib/theme/sample": {"graph/lib/render", "graph/lib/theme"},
	"graph/lib/wire":         {"graph/lib/variants"},

	// Generated code and its models.
	"graph/internal/exec": {"graph/engine/webhook/filter", "graph/lib/budget", "graph/model"},
	"graph/model": {
		"graph/engine/images", "graph/engine/webhook/filter", "graph/lib/budget", "graph/lib/theme", "graph/lib/wire",
	},
}

type home struct {
	library string // import path; the packages below it too
	at      func(*File) bool
	where   string
}

var libraries = []home{
	{"github.com/99designs/gqlgen/graphql", speaksGraphQL, "graph, its core, transport, model and executor"},
	{"github.com/gorilla/mux", below("rest"), "rest"},
	{"github.com/go-sql-driver/mysql", below("ent"), "ent"},
	{"modernc.org/sqlite", below("ent"), "ent"},
	{"github.com/mattn/go-sqlite3", below("ent"), "ent"},
	{"github.com/ncruces/go-sqlite3", below("ent"), "ent"},
	{"github.com/alecthomas/kong", below("cmd"), "cmd"},
	{"gocloud.dev", below("graph/lib/blob"), "graph/lib/blob"},
	{"github.com/aws/aws-sdk-go-v2", below("graph/lib/blob"), "graph/lib/blob"},
	{"github.com/wneessen/go-mail", below("graph/engine/notify"), "graph/engine/notify"},
	{"github.com/go-webauthn/webauthn", below("graph/engine/factor", "graph/engine/passkey"),
		"graph/engine/factor and graph/engine/passkey"},
	{"github.com/pquerna/otp", below("graph/engine/factor"), "graph/engine/factor"},
	{"github.com/stripe/stripe-go", below("graph/engine/payment"), "graph/engine/payment"},
	{"ariga.io/atlas/sql/mysql", plans, plansWhere},
	{"ariga.io/atlas/sql/sqlite", plans, plansWhere},
	{Module + "/ent/db/migrate", plans, plansWhere}, // brings all of atlas's drivers
	{"github.com/yuin/goldmark", below("rest/web", "graph/lib/markdown"), "rest/web and graph/lib/markdown"},
}

func layers(f *File, i Import) string {
	from, to := slices.Index(order, layer(f.Dir())), slices.Index(order, layer(i.Local()))
	if from >= 0 && to > from {
		return "the layer " + order[from] + " may not import " + i.Local()
	}
	return ""
}

// vocabulary allows the standard library and other words; tests may use go-cmp.
func vocabulary(f *File, i Import) string {
	switch {
	case !slices.Contains(words, f.Dir()), standard(i.Path), slices.Contains(words, i.Local()):
		return ""
	case f.Test() && under(i.Path, "github.com/google/go-cmp"):
		return ""
	case f.Dir() == "ent/mailbox" && i.Path == "golang.org/x/net/idna": // folds domains as resolvers do
		return ""
	}
	return f.Dir() + " is vocabulary and may not import " + i.Path
}

// ungenerated keeps the generator runnable before ent/db exists.
func ungenerated(f *File, i Import) string {
	if (f.Dir() == "ent/schema" || f.Dir() == "ent/rule") && !f.Test() && under(i.Local(), "ent/db") {
		return f.Dir() + " must compile before " + i.Local() + " is generated"
	}
	return ""
}

func rooms(f *File, i Import) string {
	from, to := f.Dir(), i.Local()
	builds, domain := domains[from]
	switch {
	case !strings.HasPrefix(from, "graph/") || !under(to, "graph"), under(to, from):
		return ""
	case f.Test() && (domain || from == "graph/core"), from == "graph/graphtest", from == "graph/transport":
		return "" // their tests run on the whole core, which transport serves
	case to == "graph":
		return "a part of graph may not import the whole"
	case domain && (to == "graph/core" || slices.Contains(builds, to)), slices.Contains(arrows[from], to):
		return ""
	case from == "graph/core" && (to == "graph/engine/change" || under(to, "graph/lib") || to == "graph/model"):
		return ""
	case domain && leaf(to), under(from, "graph/engine") && under(to, "graph/lib"):
		return ""
	}
	return "no arrow leads from " + from + " to " + to
}

// leaf reports whether a package of graph must not know the operations.
func leaf(dir string) bool {
	return under(dir, "graph/engine") || under(dir, "graph/lib") || dir == "graph/model"
}

// plan limits the folders of graph to domain, engine, lib and the few packages that join them.
func plan(dir string, _ []*File) string {
	joining := []string{
		"graph", "graph/core", "graph/graphtest", "graph/internal/exec", "graph/internal/gen", "graph/model",
		"graph/transport",
	}
	_, domain := domains[dir]
	if !under(dir, "graph") || domain || leaf(dir) || slices.Contains(joining, dir) {
		return ""
	}
	return "belongs into graph/domain, graph/engine or graph/lib"
}

// facade lets rest use entities but not predicates, and keeps the frontends below rest.
func facade(f *File, i Import) string {
	switch dir := f.Dir(); {
	case under(dir, "rest") && f.Test() && i.Local() == "ent/db/migrate": // tests iterate over the tables
		return ""
	case under(dir, "rest") && strings.HasPrefix(i.Local(), "ent/db/"):
		return "rest builds no queries: " + i.Local()
	case (under(dir, "rest/oauth") || under(dir, "rest/web")) && i.Local() == "rest":
		return dir + " may not import rest"
	}
	return ""
}

func homes(f *File, i Import) string {
	for _, h := range libraries {
		if under(i.Path, h.library) && !h.at(f) {
			return i.Path + " is imported in " + h.where + " only"
		}
	}
	return ""
}

func speaksGraphQL(f *File) bool {
	homes := []string{"graph", "graph/core", "graph/transport", "graph/model", "graph/internal/exec", "graph/graphtest"}
	return f.Test() || slices.Contains(homes, f.Dir())
}

const plansWhere = "tests and what writes migrations"

// plans reports whether f is a test or writes migrations, and is thus not part of the program.
func plans(f *File) bool {
	return f.Test() || f.Program() || under(f.Dir(), "ent/migrate/internal") || under(f.Dir(), "ent/db/migrate")
}

func below(roots ...string) func(*File) bool {
	return func(f *File) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return under(f.Dir(), root) })
	}
}

// standard reports whether an import path is in the standard library: its first element has no dot.
func standard(name string) bool {
	return !strings.Contains(layer(name), ".")
}

// eachImport returns the rule that calls ask for every import of every file, generated ones too.
func eachImport(ask func(*File, Import) string) func(*Tree) []Finding {
	return func(t *Tree) (list []Finding) {
		for _, f := range t.Files {
			for _, i := range f.Imports() {
				if text := ask(f, i); text != "" {
					list = append(list, finding(f, i.Line, "%s", text))
				}
			}
		}
		return list
	}
}
