package endpoint

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// checkMember adds an error for a condition on a member that no payload of the events has, since it
// would never match.
func checkMember(c *core.Check, i int, events, field string) {
	if !member(events, field) {
		c.Add("filters/"+strconv.Itoa(i)+"/field", fault.UnknownValue, "No payload of these events has "+field+".")
	}
}

// checkChange is [checkMember] for a changed endpoint. Such a condition may stay if the endpoint had
// it before.
func checkChange(before, after *db.WebhookEndpoint) error {
	former, err := (&model.WebhookEndpoint{WebhookEndpoint: before}).Filters()
	if err != nil {
		return err
	}
	present, err := (&model.WebhookEndpoint{WebhookEndpoint: after}).Filters()
	if err != nil {
		return err
	}
	c := &core.Check{}
	for i, f := range present {
		kept := func(old *filter.Condition) bool { return old.Field == f.Field && !member(before.Events, f.Field) }
		if !slices.ContainsFunc(former, kept) {
			checkMember(c, i, after.Events, f.Field)
		}
	}
	return c.Err()
}

// member reports whether a payload of one of the events has a member.
func member(events, field string) bool {
	return slices.ContainsFunc(strings.Fields(events), func(name string) bool {
		var object any
		if err := json.Unmarshal(example(event.Type(name)), &object); err != nil {
			return true // an unknown event
		}
		steps, _ := strings.CutPrefix(field, "object.")
		return mayLead(object, strings.Split(steps, "."))
	})
}

// mayLead reports whether a path may lead to a member below a value. An absent value may be
// anything.
func mayLead(value any, steps []string) bool {
	for _, step := range steps {
		if value == nil {
			return true
		}
		members, _ := value.(map[string]any)
		next, ok := members[step]
		if !ok {
			return false
		}
		value = next
	}
	return true
}

// example returns an event's object of a type with all of its members, nil for an unknown type.
func example(t event.Type) []byte {
	if t == event.OrderNoteAdded {
		return wire.AppendNote(nil, &db.Note{}, "")
	}
	if event.OfReturn(t) {
		return wire.AppendReturn(nil, &db.OrderReturn{Lines: document.NewReturnLines(nil)})
	}
	if t == event.InventoryChanged {
		return wire.AppendInventoryLevel(nil, &db.Product{}, &db.Variant{})
	}
	address := document.NewAddress(&document.AddressFields{})
	switch event.About(t) {
	case xid.Order:
		o := &db.Order{BillingAddress: address, ShippingAddress: address}
		return wire.AppendOrder(nil, o, 0, nil)
	case xid.Product:
		return wire.AppendProduct(nil, &db.Product{})
	case xid.Customer:
		return wire.AppendCustomer(nil, &db.Customer{DefaultAddress: address}, "")
	case xid.Export:
		return wire.AppendExport(nil, &db.Export{}, nil)
	case xid.Theme:
		return wire.AppendTheme(nil, &db.Theme{}, "", nil)
	case xid.WebhookEndpoint:
		return wire.AppendWebhookEndpoint(nil, &db.WebhookEndpoint{}, &db.WebhookQueue{}, nil)
	case xid.Grant:
		return wire.AppendGrant(nil, &db.Grant{}, &db.App{})
	}
	return nil
}
