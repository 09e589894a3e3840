package rest

import (
	"net/http"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

func (a *API) listCustomFields(c *call) error {
	owner := enum[state.CustomFieldOwner](&c.query, "owner")
	if err := c.query.err(); err != nil {
		return err
	}
	page, err := a.Core.Query().CustomFields(c.ctx, owner, c.query.limit, c.query.cursor)
	return list(c, page, err, wire.AppendCustomField)
}

func (a *API) createCustomField(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	owner, name, label, kind := r.String("owner"), r.String("name"), r.String("label"), r.String("type")
	in := model.CustomFieldCreateInput{
		VisibleInShop: core.Deref(r.Bool("visible_in_shop")), Filterable: core.Deref(r.Bool("filterable")),
	}
	faults := required(r.Fields(), "owner", (*state.CustomFieldOwner)(owner), &in.Owner)
	faults = required(faults, "name", name, &in.Name)
	faults = required(faults, "label", label, &in.Label)
	faults = required(faults, "type", (*state.CustomFieldType)(kind), &in.Type)
	c.keep(faults)
	done, err := a.Core.Mutation().CustomFieldCreate(c.ctx, in)
	if err != nil {
		return err
	}
	c.code, c.location = http.StatusCreated, Base+"/custom-fields/"+done.CustomField.PublicID()
	c.out = wire.AppendCustomField(c.out, done.CustomField)
	return nil
}

// updateCustomField is PATCH /custom-fields/{id}: a merge patch (RFC 7396).
func (a *API) updateCustomField(c *call) error {
	r, err := c.decode()
	if err != nil {
		return err
	}
	expected := r.Int("expected_version")
	in := model.CustomFieldUpdateInput{
		Label:         model.GivenIf(r.Given("label"), r.String("label")),
		VisibleInShop: model.GivenIf(r.Given("visible_in_shop"), r.Bool("visible_in_shop")),
		Filterable:    model.GivenIf(r.Given("filterable"), r.Bool("filterable")),
	}
	c.keep(r.Fields())
	f, err := a.Core.Query().CustomField(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	return atVersion(expected, f.Version, func(version int64) error {
		done, err := a.Core.Mutation().CustomFieldUpdate(c.ctx, f.PublicID(), version, in)
		if err != nil {
			return err
		}
		c.code = http.StatusOK
		c.out = wire.AppendCustomField(c.out, done.CustomField)
		return nil
	})
}

// deleteCustomField is DELETE /custom-fields/{id}, which takes no members.
func (a *API) deleteCustomField(c *call) error {
	if err := c.noMembers(); err != nil {
		return err
	}
	f, err := a.Core.Query().CustomField(c.ctx, c.pathID())
	if err != nil {
		return err
	}
	return atVersion(nil, f.Version, func(version int64) error {
		_, err := a.Core.Mutation().CustomFieldDelete(c.ctx, f.PublicID(), version)
		c.code = http.StatusNoContent
		return err
	})
}

// readCustomFields reads the member custom_fields, whose values the operation checks.
func readCustomFields(r *wire.Reader) []byte { return r.JSON(core.CustomFieldsMember) }
