package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
)

// customFieldsMember is there only if a record has values, so that records of stores without custom
// fields are as they were before there were any.
const customFieldsMember = "custom_fields"

func (o *Object) customFields(values []byte) {
	if len(values) > 0 {
		o.Raw(customFieldsMember, values)
	}
}

// AppendCustomField appends the definition of a custom field.
func AppendCustomField(b []byte, f *db.CustomField) []byte {
	o := Open(b)
	o.ID("id", xid.CustomField, f.ID)
	o.Plain("owner", string(f.Owner))
	o.Plain("name", f.Name)
	o.Str("label", f.Label)
	o.Plain("type", string(f.Type))
	o.Bool("visible_in_shop", f.VisibleInShop)
	o.Bool("filterable", f.Filterable)
	o.Int("version", f.Version)
	o.Time("created_at", f.ID.Time())
	o.Time("updated_at", f.UpdatedAt)
	return o.Close()
}
