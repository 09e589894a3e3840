package importer

import (
	"context"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/customfield"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/intake"
)

// fieldsFor returns the custom fields of the viewer's store that the columns of a kind can become, the
// oldest first.
func (r *Resolver) fieldsFor(ctx context.Context, kind state.ImportKind) ([]intake.Field, error) {
	rows, err := r.Client(ctx).CustomField.Query().Where(customfield.Gone(false)).
		Order(db.Asc(customfield.FieldID)).Load(ctx)
	if err != nil {
		return nil, fault.Wrap("read custom fields", err)
	}
	return intake.Fields(kind, core.Map(rows, func(f *db.CustomField) intake.Field {
		return intake.Field{Owner: f.Owner, Name: f.Name, Label: f.Label, Type: f.Type}
	})), nil
}
