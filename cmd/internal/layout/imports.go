package layout

import (
	"slices"
	"strings"
)

// order of the layers: a package imports its own layer and those before it.
var order = []string{"ent", "graph", "rest", "cmd"}

// words are the packages of the vocabulary: every layer speaks with them, so
// they carry no dependency into it.
var words = []string{
	"ent/scope", "ent/fault", "ent/event", "ent/xid", "ent/micros", "ent/currency",
	"ent/bucket", "ent/state", "ent/limit", "ent/document", "ent/digest", "ent/cell", "ent/viewer", "ent/mailbox",
}

// domains are the packages of graph that hold operations, with the other domains
// that each builds on. All stand on graph/core and on any leaf.
var domains = map[string][]string{
	"graph/access":     {"graph/endpoint", "graph/report"}, // who loses access loses endpoints and exports
	"graph/appearance": nil,
	"graph/cart":       {"graph/sales", "graph/selling"}, // a cart ends as an order
	"graph/catalog":    nil,
	"graph/content":    nil,
	"graph/endpoint":   nil,
	"graph/merchant":   {"graph/access"}, // a store begins with its owner
	"graph/report":     nil,
	"graph/teststore":  {"graph/catalog", "graph/sales"}, // samples are made as people make things
	"graph/sales":      {"graph/selling"},                // orders count the uses of discounts
	"graph/selling":    nil,
	"graph/storefront": {"graph/sales"}, // the page of an order says when it is cancelled
}

// arrows are the only imports between leaves of graph.
var arrows = map[string][]string{
	// The rows of another owner's log are written behind the commit.
	"graph/audit": {"graph/task"},
	// Dials are judged.
	"graph/attempt": {"graph/egress"},
	// What is kept of a redacted customer: answers, files, events.
	"graph/erase": {
		"graph/blob", "graph/export", "graph/idem", "graph/notify", "graph/outbox", "graph/search", "graph/wire",
	},
	// A job's life: claimed, written, announced.
	"graph/export": {
		"graph/audit", "graph/blob", "graph/goods", "graph/lease", "graph/notify", "graph/outbox",
		"graph/phrase", "graph/picture", "graph/wire", "graph/work",
	},
	// Stored answers are encrypted.
	// A factor's life: asked, proved, counted, noted, told.
	"graph/factor": {
		"graph/allowance", "graph/audit", "graph/challenge", "graph/gcra", "graph/keyring", "graph/notify",
	},
	// What waits is given in whole seconds.
	"graph/gcra": {"graph/status"},
	"graph/idem": {"graph/keyring"},
	// Archives become themes.
	"graph/install": {
		"graph/blob", "graph/lease", "graph/notify", "graph/outbox", "graph/theme", "graph/theme/sample", "graph/wire",
		"graph/work",
	},
	// Generated: the executor marshals the models.
	"graph/internal/exec": {"graph/budget", "graph/model", "graph/webhook/filter"},
	// Addresses are signed.
	"graph/link": {"graph/keyring"},
	// Scalars parse as bodies do; an import carries its judged archive; entities
	// share their wire form with events; conditions are as they are judged; pictures
	// are cleaned before.
	"graph/model": {"graph/budget", "graph/picture", "graph/strict", "graph/theme", "graph/webhook/filter",
		"graph/wire"},
	// The secrets of accounts are encrypted.
	"graph/payment": {"graph/keyring"},
	// Copies of pictures: fetched once at a time, by judged dials, and kept.
	"graph/picture": {"graph/blob", "graph/egress", "graph/markdown", "graph/memo", "graph/pixel"},
	// A rate of a region is for whoever names it, in any spelling.
	"graph/price": {"graph/country"},
	// Mails speak the shopper's language.
	"graph/ordermail": {"graph/phrase", "graph/price"},
	// One sender has a mail at a time.
	"graph/notify": {"graph/allowance", "graph/audit", "graph/lease", "graph/work"},
	// The whole of a grant's life in one transaction.
	"graph/oauth": {
		"graph/apikey", "graph/audit", "graph/egress", "graph/gcra", "graph/keyring", "graph/memo", "graph/notify",
		"graph/outbox", "graph/strict", "graph/wire",
	},
	// Those who wait to hash take turns by their network.
	"graph/password": {"graph/gcra"},
	// Payloads are made of wire types.
	"graph/outbox": {"graph/wire"},
	// Cursors are signed.
	"graph/page": {"graph/keyring"},
	// Who is reminded gets a notice.
	"graph/reminder": {"graph/notify"},
	// A product is found by its variants too.
	"graph/shelf": {"graph/goods"},
	// Words are folded and parted as those of storefronts; products are found by their variants too.
	"graph/search": {"graph/goods", "graph/shelf"},
	// What is sealed is opened and sealed anew.
	"graph/reseal": {"graph/keyring"},
	// Signing in proves a password, within bounds, and is noted.
	"graph/session": {
		"graph/allowance", "graph/audit", "graph/challenge", "graph/gcra", "graph/keyring", "graph/password",
	},
	// Templates are judged by compiling them; the manifest is strict JSON.
	"graph/theme": {"graph/render", "graph/strict"},
	// Tests judge the samples as what strangers send.
	"graph/theme/sample": {"graph/render", "graph/theme"},
	// A product is written with its variants.
	"graph/wire": {"graph/goods"},
	// From the outbox to the receiver, and what comes of it.
	"graph/webhook": {
		"graph/attempt", "graph/audit", "graph/egress", "graph/gcra", "graph/keyring", "graph/lease", "graph/model",
		"graph/notify", "graph/outbox", "graph/rollup", "graph/wire", "graph/work",
	},
}

// home says where a library may be imported.
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
	{"gocloud.dev", below("graph/blob"), "graph/blob"},
	{"github.com/aws/aws-sdk-go-v2", below("graph/blob"), "graph/blob"},
	{"github.com/wneessen/go-mail", below("graph/notify"), "graph/notify"},
	{"github.com/go-webauthn/webauthn", below("graph/factor"), "graph/factor"},
	{"github.com/pquerna/otp", below("graph/factor"), "graph/factor"},
	{"github.com/stripe/stripe-go", below("graph/payment"), "graph/payment"},
	{"ariga.io/atlas/sql/mysql", plans, plansWhere},
	{"ariga.io/atlas/sql/sqlite", plans, plansWhere},
	{Module + "/ent/db/migrate", plans, plansWhere}, // brings all of atlas's drivers
	{"github.com/yuin/goldmark", below("rest/web", "graph/markdown"), "rest/web and graph/markdown"},
}

func layers(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		from, to := slices.Index(order, layer(f.Dir())), slices.Index(order, layer(i.Local()))
		if from >= 0 && to > from {
			return "the layer " + order[from] + " may not import " + i.Local()
		}
		return ""
	})
}

// vocabulary allows the standard library and other words, and the rules of domain names;
// tests may compare with go-cmp too.
func vocabulary(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		switch {
		case !slices.Contains(words, f.Dir()), standard(i.Path), slices.Contains(words, i.Local()):
			return ""
		case f.Test() && under(i.Path, "github.com/google/go-cmp"):
			return ""
		case f.Dir() == "ent/mailbox" && i.Path == "golang.org/x/net/idna": // folds domains as resolvers do
			return ""
		}
		return f.Dir() + " is vocabulary and may not import " + i.Path
	})
}

// ungenerated keeps the generator able to run when ent/db does not exist yet.
func ungenerated(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		if (f.Dir() == "ent/schema" || f.Dir() == "ent/rule") && !f.Test() && under(i.Local(), "ent/db") {
			return f.Dir() + " must compile before " + i.Local() + " is generated"
		}
		return ""
	})
}

func leaves(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
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
		case (domain || from == "graph/core") && leaf(to):
			return ""
		}
		return "no arrow leads from " + from + " to " + to
	})
}

// leaf reports whether a package of graph knows none of the operations.
func leaf(dir string) bool {
	_, domain := domains[dir]
	return !domain && !slices.Contains([]string{"graph", "graph/core", "graph/transport", "graph/graphtest"}, dir)
}

// facade lets rest name entities, never predicates, and keeps its HTML and
// OAuth frontends below it.
func facade(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		switch dir := f.Dir(); {
		case under(dir, "rest") && f.Test() && i.Local() == "ent/db/migrate": // tests walk the tables
			return ""
		case under(dir, "rest") && strings.HasPrefix(i.Local(), "ent/db/"):
			return "rest builds no queries: " + i.Local()
		case (under(dir, "rest/oauth") || under(dir, "rest/web")) && i.Local() == "rest":
			return dir + " may not import rest"
		}
		return ""
	})
}

func homes(t *Tree) []Finding {
	return eachImport(t, func(f *File, i Import) string {
		for _, h := range libraries {
			if under(i.Path, h.library) && !h.at(f) {
				return i.Path + " is imported in " + h.where + " only"
			}
		}
		return ""
	})
}

func speaksGraphQL(f *File) bool {
	homes := []string{"graph", "graph/core", "graph/transport", "graph/model", "graph/internal/exec", "graph/graphtest"}
	return f.Test() || slices.Contains(homes, f.Dir())
}

const plansWhere = "tests and what writes migrations"

// plans reports whether f is no part of the program: a test, or of what writes migrations.
func plans(f *File) bool {
	return f.Test() || f.Program() || under(f.Dir(), "ent/migrate/internal") || under(f.Dir(), "ent/db/migrate")
}

func below(roots ...string) func(*File) bool {
	return func(f *File) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return under(f.Dir(), root) })
	}
}

// standard reports whether an import path is of the standard library: its first
// element has no dot.
func standard(name string) bool {
	return !strings.Contains(layer(name), ".")
}

// eachImport asks about every import of every file, generated ones too.
func eachImport(t *Tree, ask func(*File, Import) string) []Finding {
	var list []Finding
	for _, f := range t.Files {
		for _, i := range f.Imports() {
			if text := ask(f, i); text != "" {
				list = append(list, finding(f, i.Line, "%s", text))
			}
		}
	}
	return list
}
