package storefront

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
)

const (
	// maxSearched is how many of the newest active products are searched.
	maxSearched = 5000
	// maxText is how much of a product's texts is searched, in bytes: more than
	// title, vendor and type have, and then as many tags as fit.
	maxText = 4 << 10
	// maxWords bounds the words of a question.
	maxWords = 8
)

// Catalogue is the texts of a store's products as they are searched. It is never
// changed, and may be kept as long as the store's fingerprint stands.
//
// Texts are compared here and not by the database, so that the same question has
// the same answer on every engine: they differ in which letters are alike.
type Catalogue struct {
	entries []entry
	size    int64
}

// entry is a product with its texts, folded and parted by line feeds.
type entry struct {
	id   xid.ID
	text string
}

// Size is about how much memory it takes, in bytes.
func (c *Catalogue) Size() int64 { return c.size }

// Find returns the first limit products that have every word of the question in
// one of their texts, newest first, and how many there are in all. A question
// without words finds nothing.
func (c *Catalogue) Find(question string, limit int) (ids []xid.ID, count int) {
	words := strings.Fields(fold(question))
	if len(words) == 0 {
		return nil, 0
	}
	words = words[:min(len(words), maxWords)]
	for _, e := range c.entries {
		if !e.has(words) {
			continue
		}
		if count++; count <= limit {
			ids = append(ids, e.id)
		}
	}
	return ids, count
}

func (e entry) has(words []string) bool {
	for _, w := range words {
		if !strings.Contains(e.text, w) {
			return false
		}
	}
	return true
}

const catalogueQuery = "SELECT id, title, vendor, product_type, tags FROM products%s WHERE store_id = ? AND status = " +
	"? ORDER BY id DESC LIMIT %d"

// Catalogue reads the texts of the newest 5,000 active products, in one statement
// that hands them over one by one.
func (s Storefront) Catalogue(ctx context.Context) (*Catalogue, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	hint := ent.IndexHint(s.Store.Dialect(), activeByID)
	rows, err := s.Client(ctx).QueryContext(ctx, fmt.Sprintf(catalogueQuery, hint, maxSearched), v.Store,
		state.ProductActive)
	if err != nil {
		return nil, core.Explain("catalogue", err)
	}
	defer rows.Close()
	c := &Catalogue{}
	for rows.Next() {
		e, err := scanEntry(rows)
		if err != nil {
			return nil, core.Explain("catalogue", err)
		}
		c.entries = append(c.entries, e)
		c.size += int64(len(e.text)) + int64(len(e.id)) + 16
	}
	return c, core.Explain("catalogue", rows.Err())
}

func scanEntry(rows *stdsql.Rows) (e entry, err error) {
	var title string
	var vendor, kind stdsql.NullString
	var tags document.Tags
	if err := rows.Scan(&e.id, &title, &vendor, &kind, &tags); err != nil {
		return e, fmt.Errorf("scan: %w", err)
	}
	list, err := tags.List()
	if err != nil {
		return e, fmt.Errorf("tags of %s: %w", xid.Product.Format(e.id), err)
	}
	text := fold(strings.Join(append([]string{title, vendor.String, kind.String}, list...), "\n"))
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	e.text = text
	return e, nil
}

// fold makes texts alike that readers take for the same: whatever the case, the
// width of the letters and the accents on them, and however these are encoded.
func fold(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(cases.Fold().String(norm.NFKD.String(s))) {
		if r < firstAccent || r > lastAccent {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// The accents of letters. Marks elsewhere, such as those that distinguish Japanese
// syllables, stay.
const (
	firstAccent = '\u0300'
	lastAccent  = '\u036f'
)

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
