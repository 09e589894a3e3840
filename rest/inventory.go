package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/core"
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
			Location: l.String("location"),
		})
	}
	c.keep(present(r.Fields(), "lines", there))
	done, err := a.Core.Mutation().InventoryAdjust(c.ctx, lines)
	if err != nil {
		return err
	}
	return c.stockChanged(done)
}

// transferInventory is POST /inventory/transfers.
func (a *API) transferInventory(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	var in model.InventoryTransferInput
	from, to := r.String("from"), r.String("to")
	in.Reason, in.Reference = r.String("reason"), r.String("reference")
	objects, there := r.Array("lines")
	for _, l := range objects {
		in.Lines = append(in.Lines, &model.TransferLineInput{VariantID: l.String("variant_id"), Sku: l.String("sku"),
			Quantity: core.Deref(l.Int("quantity"))})
	}
	faults := required(present(r.Fields(), "lines", there), "from", from, &in.From)
	c.keep(required(faults, "to", to, &in.To))
	done, err := a.Core.Mutation().InventoryTransfer(c.ctx, in)
	if err != nil {
		return err
	}
	return c.stockChanged(done)
}

// stockChanged answers with the entries of the history.
func (c *call) stockChanged(done *model.InventoryPayload) error {
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

func appendLocation(b []byte, l *model.Location) []byte { return wire.AppendLocation(b, l.Location) }

func (a *API) listLocations(c *call) error {
	page, err := a.Core.Query().Locations(c.ctx, c.query.limit, c.query.cursor)
	return list(c, page, err, appendLocation)
}

func (a *API) createLocation(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	in := model.LocationCreateInput{Address: readAddress(r, "address", nil), SellsOnline: true,
		PicksUp: core.Deref(r.Bool("picks_up"))}
	core.Opt(r.Bool("sells_online"), func(online bool) { in.SellsOnline = online })
	name := r.String("name")
	c.keep(required(r.Fields(), "name", name, &in.Name))
	done, err := a.Core.Mutation().LocationCreate(c.ctx, in)
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/locations/"+done.Location.PublicID()
	c.out = appendLocation(c.out, done.Location)
	return nil
}

// updateLocation is PATCH /locations/{id}: a merge patch (RFC 7396).
func (a *API) updateLocation(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	l, missing := a.Core.Query().Location(c.ctx, c.pathID())
	var address *document.AddressFields
	if missing == nil {
		if address, err = l.DecodedAddress(); err != nil {
			return err
		}
	}
	expected := r.Int("expected_version")
	in := model.LocationUpdateInput{
		Name:        model.GivenIf(r.Given("name"), r.String("name")),
		Address:     model.GivenIf(r.Given("address"), readAddress(r, "address", address)),
		SellsOnline: model.GivenIf(r.Given("sells_online"), r.Bool("sells_online")),
		PicksUp:     model.GivenIf(r.Given("picks_up"), r.Bool("picks_up")),
	}
	if c.keep(r.Fields()); missing != nil {
		return missing
	}
	return atVersion(expected, l.Version, func(version int64) error {
		done, err := a.Core.Mutation().LocationUpdate(c.ctx, l.PublicID(), version, in)
		if err != nil {
			return err
		}
		c.code = http.StatusOK
		c.out = appendLocation(c.out, done.Location)
		return nil
	})
}

// closeLocation is POST /locations/{id}/close. The body may be empty or have the expected version.
func (a *API) closeLocation(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	expected := r.Int("expected_version")
	c.keep(r.Fields())
	l, err := a.Core.Query().Location(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	return atVersion(expected, l.Version, func(version int64) error {
		done, err := a.Core.Mutation().LocationClose(c.ctx, l.PublicID(), version)
		if err != nil {
			return err
		}
		c.code = http.StatusOK
		c.out = appendLocation(c.out, done.Location)
		return nil
	})
}

// reorderLocations answers with all open locations in their new order.
func (a *API) reorderLocations(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	ids := r.Strings("ids")
	c.keep(present(r.Fields(), "ids", r.Given("ids")))
	done, err := a.Core.Mutation().LocationReorder(c.ctx, ids)
	if err != nil {
		return err
	}
	c.code = http.StatusOK
	return list(c, &model.Connection[*model.Location]{Nodes: done.Locations}, nil, appendLocation)
}
