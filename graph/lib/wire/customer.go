package wire

import (
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
)

// AppendCustomer appends a customer. currency is the store's.
func AppendCustomer(b []byte, c *db.Customer, currency string) []byte {
	o := Open(b)
	o.ID("id", xid.Customer, c.ID)
	o.StrOpt("email", c.Email)
	o.StrOpt("phone", c.Phone)
	o.StrOpt("first_name", c.FirstName)
	o.StrOpt("last_name", c.LastName)
	o.Str("display_name", DisplayName(c))
	o.Plain("status", string(c.Status))
	o.StrOpt("locale", c.Locale)
	o.Plain("email_marketing", string(c.EmailMarketing))
	o.Raw("default_address", c.DefaultAddress)
	o.Raw("addresses", c.Addresses)
	o.Raw("tags", c.Tags)
	o.StrOpt("note", c.Note)
	o.Int("orders_count", c.OrdersCount)
	o.Int("total_spent_minor", c.TotalSpentMinor)
	o.Plain("currency", currency)
	o.TimeOpt("last_order_at", c.LastOrderAt)
	o.Int("version", c.Version)
	o.Time("created_at", c.ID.Time())
	o.Time("updated_at", c.UpdatedAt)
	o.Bool("tax_exempt", c.TaxExempt)
	o.TimeOpt("email_marketing_at", c.EmailMarketingAt)
	o.StrOpt("email_marketing_source", (*string)(c.EmailMarketingSource))
	o.customFields(c.CustomFields)
	return o.Close()
}

// DisplayName returns what to call a customer: the name, else the email address, else the phone
// number, else "Customer". It is "Redacted customer" for a redacted one.
func DisplayName(c *db.Customer) string {
	if c.Status == state.CustomerRedacted {
		return "Redacted customer"
	}
	var names []string
	for _, n := range []*string{c.FirstName, c.LastName} {
		if n != nil {
			names = append(names, *n)
		}
	}
	switch {
	case len(names) > 0:
		return strings.Join(names, " ")
	case c.Email != nil:
		return *c.Email
	case c.Phone != nil:
		return *c.Phone
	}
	return "Customer"
}
