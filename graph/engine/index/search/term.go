// Package search indexes the words by which staff find orders, products and customers.
// The transaction that writes a row also writes a small marker; a background job indexes
// the row's words. Until then a search reads the newest marked rows directly, so that a
// new row is found at once.
//
// A word is found by its prefix: one range of a primary key, on every engine. Package
// listings indexes what shoppers search.
package search

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/index/listings"
	"github.com/storefront-go/storefront/graph/lib/variants"
)

// Kind is a kind of searchable rows. It is the first byte of a term.
type Kind string

// Searchable kinds.
const (
	Customers Kind = "c"
	Orders    Kind = "o"
	Products  Kind = "p"
)

const (
	// maxNames bounds the words of names of one item, and maxTerms all of its terms. Tags and the SKUs
	// of a product do not count: a list filtered by a tag must be complete, and every SKU is found.
	maxNames = 24
	maxTerms = 160
)

// terms are the terms of one item. The value is true for personal terms, which are removed when the
// customer is redacted.
type terms map[string]bool

// add adds words, up to the bounds. A word that also has a source which is not personal is not
// personal.
func (t terms) add(k Kind, personal bool, words ...string) {
	for _, w := range words {
		was, there := t[string(k)+w]
		if w != "" && (there || len(t) < maxTerms) {
			t[string(k)+w] = personal && (was || !there)
		}
	}
}

// ofOrder returns the terms of an order: its tags, the SKUs and titles of its lines, its tracking
// numbers, and its buyer. The order number has its own index. A redacted customer is left out, even
// while their orders wait for redaction.
func ofOrder(o *db.Order, lines []*db.OrderLine, sent []*db.Fulfillment, buyer *db.Customer) (terms, error) {
	t := terms{}
	t.add(Orders, false, code(o.ExternalNumber))
	for _, l := range lines {
		t.add(Orders, false, code(l.Sku))
	}
	for _, f := range sent {
		t.add(Orders, false, code(f.TrackingNumber))
	}
	if buyer == nil || buyer.Status != state.CustomerRedacted {
		if err := t.buyer(o, buyer); err != nil {
			return nil, err
		}
	}
	if err := t.tags(Orders, o.Tags); err != nil {
		return nil, fmt.Errorf("tags of %s: %w", o.PublicID(), err)
	}
	for _, l := range lines {
		t.add(Orders, false, listings.Terms(l.Title)...)
	}
	return t, nil
}

// buyer adds the email address, the names and telephone numbers on the addresses of an order, and
// the current names of its customer.
func (t terms) buyer(o *db.Order, buyer *db.Customer) error {
	t.email(Orders, o.Email)
	names := []*string{}
	for _, a := range []document.Address{o.ShippingAddress, o.BillingAddress} {
		fields, err := a.Fields()
		if err != nil {
			return fmt.Errorf("address of %s: %w", o.PublicID(), err)
		}
		if fields != nil {
			names = append(names, fields.Name)
			t.phone(Orders, fields.Phone)
		}
	}
	if buyer != nil {
		names = append(names, namesOf(buyer)...)
	}
	t.names(Orders, names...)
	return nil
}

func ofCustomer(c *db.Customer) (terms, error) {
	t := terms{}
	t.email(Customers, c.Email)
	t.names(Customers, namesOf(c)...)
	t.phone(Customers, c.Phone)
	home, err := c.DefaultAddress.Fields()
	if err != nil {
		return nil, fmt.Errorf("address of %s: %w", c.PublicID(), err)
	}
	others, err := c.Addresses.List()
	if err != nil {
		return nil, fmt.Errorf("addresses of %s: %w", c.PublicID(), err)
	}
	if home != nil {
		t.phone(Customers, home.Phone)
	}
	for _, a := range others {
		t.phone(Customers, a.Phone)
	}
	if err := t.tags(Customers, c.Tags); err != nil {
		return nil, fmt.Errorf("tags of %s: %w", c.PublicID(), err)
	}
	return t, nil
}

// namesOf returns the names of a customer, and both in one if their script has no space between
// them: 山田太郎 is found by the full name and by each part.
func namesOf(c *db.Customer) []*string {
	names := []*string{c.FirstName, c.LastName}
	ascii := func(s string) bool {
		return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
	}
	if c.FirstName != nil && c.LastName != nil && !ascii(*c.FirstName) && !ascii(*c.LastName) {
		names = append(names, new(*c.LastName+*c.FirstName), new(*c.FirstName+*c.LastName))
	}
	return names
}

// ofProduct returns the terms of a product whose variants have been loaded: the words of its title,
// its SKUs and its tags.
func ofProduct(p *db.Product) (terms, error) {
	t := terms{}
	t.add(Products, false, listings.Terms(p.Title)...)
	for _, v := range variants.Of(p) {
		if sku := code(v.Sku); sku != "" {
			t[string(Products)+sku] = false
		}
	}
	if err := t.tags(Products, p.Tags); err != nil {
		return nil, fmt.Errorf("tags of %s: %w", p.PublicID(), err)
	}
	return t, nil
}

// tags adds tags, each as a whole and by its words.
func (t terms) tags(k Kind, list document.Tags) error {
	tags, err := list.List()
	for _, tag := range tags {
		t[string(k)+tagged(tag)] = false
		t.add(k, false, listings.Terms(tag)...)
	}
	return err
}

// tagged returns the term of a whole tag, which no text contains. Case, accents and surrounding
// space make no difference.
func tagged(tag string) string {
	sum := digest.Of([]byte(strings.TrimSpace(listings.Fold(tag))))
	return "\x01" + hex.EncodeToString(sum[:16])
}

func (t terms) email(k Kind, email *string) {
	if email == nil {
		return
	}
	folded := listings.Fold(*email)
	whole := address(folded)
	local, _, _ := strings.Cut(folded, "@")
	words := slices.DeleteFunc(listings.Terms(local), func(w string) bool { return strings.HasPrefix(whole, w) })
	t.add(k, true, whole)
	t.add(k, true, words[:min(len(words), maxNames)]...)
}

func (t terms) names(k Kind, names ...*string) {
	var words []string
	for _, n := range names {
		if n != nil {
			words = append(words, listings.Terms(*n)...)
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	t.add(k, true, words[:min(len(words), maxNames)]...)
}

// code returns an SKU without the punctuation between its parts.
func code(sku *string) string {
	if sku == nil {
		return ""
	}
	return strings.Join(listings.QueryTerms(strings.Join(strings.Fields(listings.Fold(*sku)), "-")), "")
}

// address returns a folded email address, or the beginning of one, as it is compared: punctuation
// in the local part makes no difference. It is "" if the local part has no letter.
func address(folded string) string {
	local, host, ok := strings.Cut(folded, "@")
	head := strings.Join(listings.QueryTerms(local), "")
	if !ok || head == "" {
		return ""
	}
	return listings.Cut(head + "@" + host)
}
