// Package search keeps the words by which the people of a store find its orders, products and
// customers, and finds them. The transaction that writes something marks it, with one small row,
// and its words are written in the background, as those of what was there before. Until then a
// search reads the newest of what is marked itself: what was written is found at once.
//
// A word is found by its beginning: by a range of the primary key of one table, on every engine
// alike. What visitors of a storefront find is kept apart, see the package shelf.
package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/goods"
	"github.com/storefront-go/storefront/graph/shelf"
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
	// maxNames is how many words of names are kept of one thing, and maxTerms of all.
	maxNames = 24
	maxTerms = 120
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

// ofOrder are the numbers of stock of its lines, its address for mail, and the names on it: those
// of its addresses, and that of its customer as it is now. An index has its number. Of a customer
// who is redacted nothing is told, also while their orders wait for it.
func ofOrder(o *db.Order, lines []*db.OrderLine, buyer *db.Customer) (terms, error) {
	t := terms{}
	for _, l := range lines {
		t.add(Orders, false, code(l.Sku))
	}
	if buyer != nil && buyer.Status == state.CustomerRedacted {
		return t, nil
	}
	t.mail(Orders, o.Email)
	names := []*string{}
	for _, a := range []document.Address{o.ShippingAddress, o.BillingAddress} {
		fields, err := a.Fields()
		if err != nil {
			return nil, fmt.Errorf("address of %s: %w", o.PublicID(), err)
		}
		if fields != nil {
			names = append(names, fields.Name)
		}
	}
	if buyer != nil {
		names = append(names, buyer.FirstName, buyer.LastName)
	}
	t.names(Orders, names...)
	return t, nil
}

// ofCustomer are the names of a customer and their address for mail.
func ofCustomer(c *db.Customer) terms {
	t := terms{}
	t.mail(Customers, c.Email)
	t.names(Customers, c.FirstName, c.LastName)
	return t
}

// ofProduct are the words of its title and the numbers of stock of its variants, which have
// been read.
func ofProduct(p *db.Product) terms {
	t := terms{}
	t.add(Products, false, shelf.Terms(p.Title)...)
	for _, v := range goods.Of(p) {
		t.add(Products, false, code(v.Sku))
	}
	return t
}

// mail adds an address for mail, and the words of its local part.
func (t terms) mail(k Kind, email *string) {
	if email == nil {
		return
	}
	folded := shelf.Fold(*email)
	whole := address(folded)
	local, _, _ := strings.Cut(folded, "@")
	words := slices.DeleteFunc(shelf.Terms(local), func(w string) bool { return strings.HasPrefix(whole, w) })
	t.add(k, true, whole)
	t.add(k, true, words[:min(len(words), maxNames)]...)
}

func (t terms) names(k Kind, names ...*string) {
	var words []string
	for _, n := range names {
		if n != nil {
			words = append(words, shelf.Terms(*n)...)
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
	return strings.Join(shelf.Asked(strings.Join(strings.Fields(shelf.Fold(*sku)), "-")), "")
}

// address is a folded address for mail, or the beginning of one, as it is compared: what stands
// between the letters of its local part makes no difference. It is "" where that has no letter.
func address(folded string) string {
	local, host, ok := strings.Cut(folded, "@")
	head := strings.Join(shelf.Asked(local), "")
	if !ok || head == "" {
		return ""
	}
	return shelf.Cut(head + "@" + host)
}
