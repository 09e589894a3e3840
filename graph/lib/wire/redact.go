package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/xid"
)

// redactedCustomer are a customer's personal members and their values after redaction.
var redactedCustomer = map[string]string{
	"email": "null", "phone": "null", "first_name": "null", "last_name": "null", "locale": "null", "note": "null",
	"default_address": "null", "addresses": "[]", "tags": "[]", "display_name": `"Redacted customer"`,
	"status": `"redacted"`, "email_marketing": `"not_subscribed"`,
	"email_marketing_at": "null", "email_marketing_source": "null",
	customFieldsMember: absent,
}

// absent removes a member that is there only with a value.
const absent = ""

// redactedOrder is [redactedCustomer] for the customer's orders.
var redactedOrder = map[string]string{
	"email": "null", "billing_address": "null", "shipping_address": "null", "vat_id": "null",
	customFieldsMember: absent,
}

// Within JSON strings every quote is preceded by a backslash, so these texts occur in a body only
// as members.
var (
	ofCustomer = []byte(`"resource":{"type":"customer","id":"`)
	ofOrder    = []byte(`"customer_id":"`)
)

// personal returns the members of an event's object that change when its customer is redacted, and
// what precedes the customer's id in its body. Both are nil for an event without personal data.
func personal(kind event.Type) (members map[string]string, before []byte) {
	e, ok := event.Find(kind)
	switch {
	case !ok, kind == event.OrderNoteAdded, event.OfReturn(kind): // these are the store's own texts
		return nil, nil
	case e.Resource == xid.Customer:
		return redactedCustomer, ofCustomer
	case e.Resource == xid.Order:
		return redactedOrder, ofOrder
	}
	return nil, nil
}

// Personal reports whether events of a kind contain personal data of a customer.
func Personal(kind event.Type) bool {
	members, _ := personal(kind)
	return members != nil
}

// PersonOf returns the customer whose personal data the body of an event contains.
func PersonOf(kind event.Type, body []byte) (customer xid.ID, ok bool) {
	_, before := personal(kind)
	if before == nil {
		return xid.Nil, false
	}
	_, rest, found := bytes.Cut(body, before)
	name, _, closed := bytes.Cut(rest, []byte{'"'})
	if !found || !closed {
		return xid.Nil, false
	}
	id, err := xid.Customer.Parse(string(name))
	return id, err == nil
}

// RedactEvent returns the body of an event after its customer was redacted: unchanged except for
// the personal members. A body without personal data is returned as it is.
func RedactEvent(kind event.Type, body []byte) ([]byte, error) {
	members, _ := personal(kind)
	if members == nil {
		return body, nil
	}
	redacted, err := ReplaceObject(body, func(object []byte) ([]byte, error) {
		return rewrite(object, func(name string, value []byte) ([]byte, error) {
			if v, ok := members[name]; ok {
				return []byte(v), nil
			}
			return value, nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("redact event: %w", err)
	}
	return redacted, nil
}

// ReplaceObject returns the body of an event with a changed object. A body whose data was left out is
// returned as it is.
func ReplaceObject(body []byte, change func(object []byte) ([]byte, error)) ([]byte, error) {
	return replace(body, "data", func(data []byte) ([]byte, error) {
		if string(data) == "null" {
			return data, nil
		}
		return replace(data, "object", change)
	})
}

// replace changes one member of a JSON object.
func replace(object []byte, member string, change func([]byte) ([]byte, error)) ([]byte, error) {
	return rewrite(object, func(name string, value []byte) ([]byte, error) {
		if name == member {
			return change(value)
		}
		return value, nil
	})
}

// rewrite copies a JSON object of this package, with its members in order and each value replaced
// by change. An empty value removes its member.
func rewrite(object []byte, change func(name string, value []byte) ([]byte, error)) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil {
		return nil, err
	} else if t != json.Delim('{') {
		return nil, fmt.Errorf("%v is not an object", t)
	}
	o := Open(make([]byte, 0, len(object)))
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		changed, err := change(fmt.Sprint(name), value)
		if err != nil {
			return nil, err
		}
		if len(changed) > 0 {
			o.Raw(fmt.Sprint(name), changed)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	return o.Close(), nil
}
