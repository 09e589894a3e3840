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

// Kind is what is found; it is the first byte of the term.
type Kind string

// What is found.
const (
	Customers Kind = "c"
	Orders    Kind = "o"
	Products  Kind = "p"
)

const (
	// maxNames is how many words of names are kept of one thing, and maxTerms of all. Tags are kept beside these:
	// a list that is filtered by one shows all that have it.
	maxNames = 24
	maxTerms = 160
)

// terms are those of one thing; true marks what goes when the customer is redacted.
type terms map[string]bool

// add adds words, unless there are enough. One that is known by something that stays, stays.
func (t terms) add(k Kind, personal bool, words ...string) {
	for _, w := range words {
		was, there := t[string(k)+w]
		if w != "" && (there || len(t) < maxTerms) {
			t[string(k)+w] = personal && (was || !there)
		}
	}
}

// ofOrder are the tags of an order, the numbers of stock and the titles of its lines, its tracking numbers, and what is
// known of who bought. An index has its number. Of a customer who is redacted nothing is kept, also while their orders
// wait for it.
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

// buyer adds who bought: the address for mail, the names and telephone numbers on the addresses of an order, and the
// names of its customer as they are now.
func (t terms) buyer(o *db.Order, buyer *db.Customer) error {
	t.mail(Orders, o.Email)
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

// ofCustomer are the names of a customer, their address for mail, their telephone numbers and their tags.
func ofCustomer(c *db.Customer) (terms, error) {
	t := terms{}
	t.mail(Customers, c.Email)
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

// namesOf are the names of a customer, and both in one where their script has no space between them: who writes
// 山田太郎 is found by it, and by each part.
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

// ofProduct are the words of its title, the numbers of stock of its variants, which have been read, and its tags.
func ofProduct(p *db.Product) (terms, error) {
	t := terms{}
	t.add(Products, false, listings.Terms(p.Title)...)
	for _, v := range variants.Of(p) {
		t.add(Products, false, code(v.Sku))
	}
	if err := t.tags(Products, p.Tags); err != nil {
		return nil, fmt.Errorf("tags of %s: %w", p.PublicID(), err)
	}
	return t, nil
}

// tags adds tags, each whole and by its words.
func (t terms) tags(k Kind, list document.Tags) error {
	tags, err := list.List()
	for _, tag := range tags {
		t[string(k)+tagged(tag)] = false
		t.add(k, false, listings.Terms(tag)...)
	}
	return err
}

// tagged is the word of a whole tag, which no text has. Case, accents and space around it make no difference.
func tagged(tag string) string {
	sum := digest.Of([]byte(strings.TrimSpace(listings.Fold(tag))))
	return "\x01" + hex.EncodeToString(sum[:16])
}

// mail adds an address for mail, and the words of its local part.
func (t terms) mail(k Kind, email *string) {
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

// code is a number of stock without what stands between its parts.
func code(sku *string) string {
	if sku == nil {
		return ""
	}
	return strings.Join(listings.Asked(strings.Join(strings.Fields(listings.Fold(*sku)), "-")), "")
}

// address is a folded address for mail, or the beginning of one, as it is compared: what stands
// between the letters of its local part makes no difference. It is "" where that has no letter.
func address(folded string) string {
	local, host, ok := strings.Cut(folded, "@")
	head := strings.Join(listings.Asked(local), "")
	if !ok || head == "" {
		return ""
	}
	return listings.Cut(head + "@" + host)
}
