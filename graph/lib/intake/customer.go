package intake

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
)

const addressPrefix = "default_address_"

// addressMembers are the members of the default address, without their prefix.
var addressMembers = []string{"name", "company", "line1", "line2", "city", "region", "postal_code", "country", "phone"}

var customerMembers = []string{"email", "phone", "first_name", "last_name", "full_name", "locale", "email_marketing",
	"email_marketing_at", "email_marketing_source", "tags", "note", "tax_exempt", "created_at", "addresses",
	"custom_fields", "own_id", "default_address_name", "default_address_company", "default_address_line1",
	"default_address_line2", "default_address_city", "default_address_region", "default_address_postal_code",
	"default_address_country", "default_address_phone"}

var customerDerived = []string{"display_name", "status", "orders_count", "total_spent_minor", "currency",
	"last_order_at", "version", "updated_at", "total spent", "total orders", "orders", "total spend", "aov"}

var customerColumns = map[string]map[string]string{
	Storefront: {"customer_id": "own_id", "id": "own_id"},
	Shopify: {
		"customer id": "own_id", "first name": "first_name", "last name": "last_name", "email": "email",
		"accepts email marketing": "email_marketing", "accepts marketing": "email_marketing", "phone": "phone",
		"note": "note", "tax exempt": "tax_exempt", "tags": "tags", "company": "default_address_company",
		"address1": "default_address_line1", "address2": "default_address_line2", "city": "default_address_city",
		"province code": "default_address_region", "country code": "default_address_country",
		"zip": "default_address_postal_code", "default address company": "default_address_company",
		"default address address1":      "default_address_line1",
		"default address address2":      "default_address_line2",
		"default address city":          "default_address_city",
		"default address province code": "default_address_region",
		"default address country code":  "default_address_country",
		"default address zip":           "default_address_postal_code",
		"default address phone":         "default_address_phone",
	},
	WooCommerce: {
		"id": "own_id", "customer_id": "own_id", "username": "own_id", "email": "email", "user_email": "email",
		"name": "full_name", "first_name": "first_name", "last_name": "last_name", "sign up": "created_at",
		"registered": "created_at", "date registered": "created_at", "user_registered": "created_at",
		"billing_company": "default_address_company", "billing_address_1": "default_address_line1",
		"billing_address_2": "default_address_line2", "billing_city": "default_address_city",
		"billing_state": "default_address_region", "billing_postcode": "default_address_postal_code",
		"billing_country": "default_address_country", "billing_phone": "phone",
		"country / region": "default_address_country", "city": "default_address_city",
		"region": "default_address_region", "postal code": "default_address_postal_code",
	},
	Unknown: {
		"e-mail": "email", "email address": "email", "mail": "email", "name": "full_name", "first name": "first_name",
		"last name": "last_name", "telephone": "phone", "language": "locale", "notes": "note",
		"company": "default_address_company", "street": "default_address_line1", "address": "default_address_line1",
		"city": "default_address_city", "zip": "default_address_postal_code",
		"postal code": "default_address_postal_code", "country": "default_address_country", "id": "own_id",
	},
}

// ShopifyID begins the ids of Shopify, by which customers without an email address are found again.
const ShopifyID = "shopify:"

var customerMarks = []mark{
	{Shopify, []string{"accepts email marketing", "email"}},
	{Shopify, []string{"accepts marketing", "email"}},
	{WooCommerce, []string{"username", "email"}},
	{WooCommerce, []string{"user_email"}},
	{WooCommerce, []string{"billing_address_1"}},
	{Storefront, []string{"customer_id", "email"}},
	{Storefront, []string{"email", "first_name"}},
}

// readCustomer sets the JSON of a record, or its problem. Findings are kept apart from the data of
// customers, so it names no person: a record is known by its line and its id in the other system.
func readCustomer(f *Form, r *Record, rows []*row) {
	m := &mapper{Record: r, rows: rows, currency: f.currency, members: map[string]any{}}
	first := rows[0]
	r.Name = Clip(lineOf(first.get("own_id")), limit.Line)
	if strings.Contains(r.Name, "@") {
		r.Name = ""
	}
	for member, most := range map[string]int{"phone": limit.Label, "first_name": limit.Line, "last_name": limit.Line,
		"locale": limit.Label, "email_marketing_source": limit.Label} {
		if text, ok := first.given(member); ok {
			m.members[member] = null(m.clip(member, lineOf(text), most))
		}
	}
	m.fullName()
	if email := first.get("email"); email != "" {
		m.members["email"] = email
	} else if id := lineOf(first.get("own_id")); id != "" && f.Source == Shopify {
		m.members["id"] = ShopifyID + id
	} else if id != "" {
		m.members["id"] = id
	}
	if note, ok := first.given("note"); ok {
		m.members["note"] = null(m.clip("note", note, limit.Note))
	}
	if tags, ok := first.given("tags"); ok {
		m.tags(tags)
	}
	if exempt := first.get("tax_exempt"); exempt != "" {
		m.members["tax_exempt"] = yes(exempt)
	}
	m.marketing()
	m.moments("created_at", "email_marketing_at")
	m.address(addressPrefix, "default_address")
	m.cells("addresses", "custom_fields")
	m.custom(first, state.FieldsOfCustomers, m.members, "custom_fields")
	if r.Problem == "" {
		r.encode(m.members)
	}
}

// fullName splits a name into the first names and the last one.
func (m *mapper) fullName() {
	name := lineOf(m.rows[0].get("full_name"))
	if name == "" || m.members["first_name"] != nil || m.members["last_name"] != nil {
		return
	}
	names := strings.Fields(name)
	last := names[len(names)-1]
	m.members["last_name"] = m.clip("last name", last, limit.Line)
	if rest := strings.Join(names[:len(names)-1], " "); rest != "" {
		m.members["first_name"] = m.clip("first name", rest, limit.Line)
	}
}

func (m *mapper) marketing() {
	switch text := strings.ToLower(m.rows[0].get("email_marketing")); {
	case text == "", no(text):
	case yes(text):
		m.members["email_marketing"] = "subscribed"
	default:
		m.members["email_marketing"] = text
	}
}

// moments reads times. Those without a zone are in UTC.
func (m *mapper) moments(members ...string) {
	for _, member := range members {
		text := m.rows[0].get(member)
		if text == "" {
			continue
		}
		for _, layout := range []string{time.RFC3339Nano, time.DateTime, "2006-01-02 15:04:05 -0700", time.DateOnly} {
			if t, err := time.Parse(layout, text); err == nil {
				m.members[member] = t.UTC().Format(time.RFC3339Nano)
			}
		}
		if m.members[member] == nil {
			m.wrong("The %s is not a time such as 2026-11-30T18:00:00Z.", strings.ReplaceAll(member, "_", " "))
		}
	}
}

// address reads an address by the prefix of its columns. One without a street, city or country is not
// imported.
func (m *mapper) address(prefix, into string) {
	address, given := map[string]any{}, false
	for _, member := range addressMembers {
		text, ok := m.rows[0].given(prefix + member)
		given = given || ok
		most := limit.Line
		switch member {
		case "postal_code":
			most = limit.PostalCode
		case "phone":
			most = limit.Label
		case "country":
			text = strings.ToUpper(text)
		}
		if text = m.clip(member+" of the address", lineOf(text), most); text != "" {
			address[member] = text
		}
	}
	if len(address) == 0 {
		if given {
			m.members[into] = nil
		}
		return
	}
	country, _ := address["country"].(string)
	if address["line1"] == nil || address["city"] == nil || len(country) != 2 {
		m.note("The address lacks the street, the city or the code of the country and is not imported.")
		return
	}
	if address["name"] == nil {
		var names []string
		for _, member := range []string{"first_name", "last_name"} {
			if name, ok := m.members[member].(string); ok {
				names = append(names, name)
			}
		}
		if name := Clip(strings.Join(names, " "), limit.Line); name != "" {
			address["name"] = name
		}
	}
	m.members[into] = address
}

// cells reads cells that hold JSON. An empty one keeps the member.
func (m *mapper) cells(members ...string) {
	for _, member := range members {
		text := m.rows[0].get(member)
		switch {
		case text == "":
		case !json.Valid([]byte(text)):
			m.wrong("The cell of %s does not hold valid JSON.", member)
		default:
			m.members[member] = json.RawMessage(text)
		}
	}
}
