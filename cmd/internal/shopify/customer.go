package shopify

import (
	"context"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/mailbox"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

// customer reads the row of one customer. Only a clear yes counts as consent.
func (i *importer) customer(c *record) (maker, error) {
	r := c.rows[0]
	email := r.opt("email")
	if email != nil {
		if before := i.twice("address:"+mailbox.Fold(*email), c); before > 0 {
			return nil, wrong("its Email repeats line %d", before)
		}
	}
	in := model.CustomerCreateInput{
		Email: email, Phone: short(r.opt("phone")), FirstName: line(r.opt("first name")),
		LastName: line(r.opt("last name")), Status: state.CustomerActive, EmailMarketing: state.EmailNotSubscribed,
		Tags: i.labels(c, r.get("tags")), Note: r.opt("note"),
	}
	if yes(r.get("accepts email marketing")) || yes(r.get("accepts marketing")) {
		in.EmailMarketing = state.EmailSubscribed
	}
	if in.Note != nil {
		in.Note = new(i.clip(c, "the note", *in.Note, limit.Note))
	}
	prefix := ""
	if r.has("default address address1") {
		prefix = "default address "
	}
	address, complete := place(r, prefix)
	if !complete {
		i.note(c, "the address lacks a street, city or country and is not imported")
	}
	if address != nil {
		address.Name = fullName(in)
	}
	in.DefaultAddress = address
	return func(ctx context.Context, i *importer) (xid.ID, error) {
		made, err := i.Core.Mutation().CustomerCreate(ctx, in)
		if err != nil {
			return xid.Nil, err
		}
		return made.Customer.ID, nil
	}, nil
}

func fullName(in model.CustomerCreateInput) *string {
	var names []string
	for _, n := range []*string{in.FirstName, in.LastName} {
		if n != nil {
			names = append(names, *n)
		}
	}
	if names == nil {
		return nil
	}
	return new(strings.Join(names, " "))
}
