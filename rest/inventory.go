package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listInventory(c *call) error {
	q := &c.query
	filter := model.InventoryFilter{Sku: q.text("sku", limit.Line), UpdatedFrom: q.time("updated_from")}
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().Inventory(c.ctx, q.limit, q.cursor, &filter)
	return list(c, page, err, wire.AppendInventory)
}

// adjustInventory is POST /inventory/adjustments.
func (a *API) adjustInventory(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	var lines []*model.InventoryLineInput
	objects, there := r.Array("lines")
	for _, l := range objects {
		lines = append(lines, &model.InventoryLineInput{
			VariantID: l.String("variant_id"), Sku: l.String("sku"), Delta: l.Int("delta"), Set: l.Int("set"),
			Expected: l.Int("expected"), Reason: l.String("reason"), Reference: l.String("reference"),
		})
	}
	c.keep(present(r.Fields(), "lines", there))
	done, err := a.Core.Mutation().InventoryAdjust(c.ctx, lines)
	if err != nil {
		return err
	}
	c.code = http.StatusOK
	c.out = append(c.out, `{"changes":[`...)
	for i, change := range done.Changes {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.out = wire.AppendInventoryChange(c.out, change.InventoryChange)
	}
	c.out = append(c.out, "]}"...)
	return nil
}
