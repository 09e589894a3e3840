// Package storefront reads what the visitors of a store see: the store, its theme, its products,
// and search results.
package storefront

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/storehandle"
	dbtheme "github.com/storefront-go/storefront/ent/db/theme"
	"github.com/storefront-go/storefront/ent/db/themepackage"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/country"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

// Storefront reads what the visitors of a store see (contract, section 9). Its
// methods read the store of the context's viewer, who is a [viewer.Visitor], and
// write nothing.
type Storefront struct {
	*core.Core
	images *images.Keeper // copies of external images
	// ThemeGeneration changes whenever this process changes a theme of a store.
	ThemeGeneration func(store xid.ID) uint64
}

// New returns the storefront reader.
func New(c *core.Core, i *images.Keeper, generation func(store xid.ID) uint64) Storefront {
	return Storefront{c, i, generation}
}

// Find returns the store of a handle, or false if there is none. [Storefront.State] says whether it
// is open.
func (s Storefront) Find(ctx context.Context, handle string) (xid.ID, bool, error) {
	rows, err := s.Client(ctx).StoreHandle.Query().Where(storehandle.ID(handle)).All(ctx)
	if err != nil || len(rows) == 0 {
		return xid.Nil, false, core.Explain("store", err)
	}
	return rows[0].StoreID, true, nil
}

// State is what a storefront needs to know before it shows anything.
type State struct {
	Handle string
	// Domain is the store's own host at which visitors arrive; nil for the built-in one.
	Domain   *string
	Name     string
	Currency string
	Language state.Language
	// ContactEmail is the store's address for shoppers, "" for none.
	ContactEmail string
	// Menus are the menus that the merchant set. They may be absent.
	Menus document.Menus
	// Test says that this is a test store.
	Test bool
	// Open says that the store exists and is not closed.
	Open bool
	// Theme is the active theme and Package the checksum of its content. Both are zero if no theme
	// is active.
	Theme   xid.ID
	Package digest.Sum
	// Taxed says that the store has tax rates, TaxIncluded that its prices include the tax.
	Taxed, TaxIncluded bool
	// Shipping is the path of the published page about shipping, "" for none.
	Shipping string
	// Front is how the shop looks beyond its theme.
	Front document.StorefrontFields
	// Withdraws says that shoppers can withdraw from contracts online.
	Withdraws bool
	// Settings are the merchant's settings of the active theme.
	Settings document.ThemeSettings
	// Fingerprint changes with what the storefront shows, as far as one cheap statement can detect
	// it: see [Storefront.State].
	Fingerprint digest.Sum
}

// newestChanges is how many of the latest product changes the fingerprint covers.
const newestChanges = 16

// stateQuery reads the rows of a store, its active theme, menus, tax settings and page about
// shipping and, from the index alone, the products that changed last.
var stateQuery = "SELECT s.handle, s.domain, s.name, s.currency, s.language, s.status, s.version," +
	" s.storefront_revision, s.test, s.storefront, s.contact_email, t.id, t.checksum, t.settings, m.content," +
	" x.version, x.prices_include_tax, x.rates, x.vat_id, g.handle, (" + economicAreaQuery + "), NULL, 0" +
	" FROM stores s LEFT JOIN themes t ON t.store_id = s.id AND t.id = s.active_theme_id" +
	" LEFT JOIN menus m ON m.store_id = s.id AND m.id = s.id" +
	" LEFT JOIN tax_settings x ON x.store_id = s.id AND x.id = s.id" +
	" LEFT JOIN pages g ON g.store_id = s.id AND g.kind = ? AND g.status = ?" +
	" WHERE s.id = ?" +
	" UNION ALL SELECT '', NULL, '', '', '', '', 0, 0, FALSE, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL," +
	" NULL, NULL, NULL, p.id, p.updated_at" +
	" FROM (SELECT id, updated_at FROM products%s WHERE store_id = ? ORDER BY updated_at DESC, id DESC LIMIT %d) p"

// economicAreaQuery finds any country of the European Economic Area that the store ships to by name.
var economicAreaQuery = "SELECT c.country FROM shipping_countries c WHERE c.store_id = s.id AND c.country IN ('" +
	strings.Join(country.EconomicArea(), "', '") + "') LIMIT 1"

// State reads the current state of the store in one statement.
//
// A change of a product raises its updated_at, so it is among the newest changes. A deletion raises
// the store's storefront_revision, as do all changes of pages and menus. Changes of the store and
// its active theme are in the store's row, and the tax settings have a version of their own. The
// fingerprint can miss a change that looks older than more than [newestChanges] others although it
// came later, from a process whose clock is behind or a transaction that took long to commit. So do
// not trust a fingerprint forever: the storefront keeps no page longer than half a minute.
func (s Storefront) State(ctx context.Context) (*State, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	hint := ent.IndexHint(s.Store.Dialect(), "products", "product_store_id_updated_at_id")
	query := fmt.Sprintf(stateQuery, hint, newestChanges)
	st, said := &State{}, []string(nil)
	err = ent.Read(ctx, s.Client(ctx), func(rows *stdsql.Rows) error {
		text, err := st.scan(rows)
		said = append(said, text)
		return err
	}, query, state.PageShipping, state.PagePublished, v.Store, v.Store)
	st.Withdraws = st.Withdraws && s.Store.Uses(ent.ShopperReturns)
	slices.Sort(said) // the rows come in no particular order
	st.Fingerprint = digest.Of([]byte(strings.Join(said, "\n")))
	return st, core.Explain("storefront", err)
}

func (st *State) scan(rows *stdsql.Rows) (string, error) {
	var row State
	var status state.StoreStatus
	var version, revision, at int64
	var active, changed stdsql.Null[xid.ID]
	var sum stdsql.Null[digest.Sum]
	var tax stdsql.Null[int64]
	var included stdsql.NullBool
	var rates document.TaxRates
	var shipping, contact, area stdsql.NullString
	var vatID *string
	var front document.Storefront
	err := rows.Scan(&row.Handle, &row.Domain, &row.Name, &row.Currency, &row.Language, &status, &version, &revision,
		&row.Test, (*[]byte)(&front), &contact, &active, &sum, (*[]byte)(&row.Settings), (*[]byte)(&row.Menus),
		&tax, &included, (*[]byte)(&rates), &vatID, &shipping, &area, &changed, &at)
	if err != nil {
		return "", fmt.Errorf("scan: %w", err)
	}
	if changed.Valid {
		return fmt.Sprintf("%x %d", changed.V[:], at), nil
	}
	*st, st.ContactEmail = row, contact.String
	st.Open, st.Theme, st.Package = status == state.StoreOpen, active.V, sum.V
	taxes, err := rates.List()
	if err != nil {
		return "", fmt.Errorf("read tax rates: %w", err)
	}
	if st.Front, err = front.Fields(); err != nil {
		return "", fmt.Errorf("read the storefront: %w", err)
	}
	st.Withdraws = sales.Withdraws(st.Front.Terms(), vatID, area.String)
	st.Taxed, st.TaxIncluded = len(taxes) > 0, included.Bool
	if shipping.Valid {
		st.Shipping = PageRoot + shipping.String
	}
	set := digest.Of(st.Settings)
	return fmt.Sprintf("%q %q %q %s %d %d %x %x %x %d %t",
		st.Name, st.Currency, st.Language, status, version, revision, active.V[:], sum.V[:], set[:], tax.V,
		st.Withdraws), nil
}

// Theme returns a theme of the store that can be shown, or may be once it is processed.
func (s Storefront) Theme(ctx context.Context, id xid.ID) (*db.Theme, error) {
	t, err := core.Only(s.Client(ctx).Theme.Query().Where(dbtheme.ID(id)).Load(ctx))
	return t, core.Explain("theme", err)
}

// Package returns the content of a theme by its checksum.
func (s Storefront) Package(ctx context.Context, sum digest.Sum) (*theme.Package, error) {
	rows, err := s.Client(ctx).ThemePackage.Query().Where(themepackage.ID(sum)).All(ctx)
	row, err := core.Only(rows, err)
	if err != nil {
		return nil, core.Explain("theme", err)
	}
	p, err := theme.Parse(row.Content)
	return p, fault.Wrap("parse the package of a theme", err)
}

var sortKeys = map[listings.Sort]phrase.Key{
	listings.Newest: phrase.SortNewest, listings.PriceUp: phrase.SortPriceUp, listings.PriceDown: phrase.SortPriceDown,
	listings.Title: phrase.SortTitle, listings.Manual: phrase.SortManual,
}

// Say returns a text in the language of the store.
func (st *State) Say(k phrase.Key) string { return phrase.In(st.Language).Say(k) }

// WordSort returns the name of a sort order.
func (st *State) WordSort(by listings.Sort) string { return st.Say(sortKeys[by]) }

// PriceNote says, in the store's language, whether prices include tax and, for items that are
// shipped, that shipping is extra. It returns "" if there is nothing to say.
func (st *State) PriceNote(ships bool) string {
	var key phrase.Key
	switch {
	case st.Taxed && st.TaxIncluded && ships:
		key = phrase.PricesWithTax
	case st.Taxed && st.TaxIncluded:
		key = phrase.PricesWithTaxAlone
	case st.Taxed && ships:
		key = phrase.PricesPlusTax
	case st.Taxed:
		key = phrase.PricesPlusTaxAlone
	case ships:
		key = phrase.PricesPlusShipping
	default:
		return ""
	}
	return st.Say(key)
}

// Brand is the look of a store where no theme defines it. What a store has not set is "".
type Brand struct {
	// Accent and AccentDark, for visitors who prefer dark, are # and six hexadecimal digits.
	Accent, AccentDark string
	// Background and BackgroundDark are the colors of pages, in the same form. Without BackgroundDark,
	// pages look the same in dark mode.
	Background, BackgroundDark string
	// Logo and Favicon are addresses of images.
	Logo, Favicon string
}
