package content

import (
	"context"
	"fmt"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	dbmenus "github.com/storefront-go/storefront/ent/db/menus"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// Menus returns the menus of the viewer's store.
func (q Query) Menus(ctx context.Context) (*model.Menus, error) {
	if _, err := core.Caller(ctx); err != nil {
		return nil, err
	}
	row, err := q.menusRow(ctx)
	if err != nil {
		return nil, core.Explain("menus", err)
	}
	return shownMenus(row)
}

func (r *Resolver) menusRow(ctx context.Context) (*db.Menus, error) {
	rows, err := r.Client(ctx).Menus.Query().Where(dbmenus.ID(viewer.From(ctx).Store)).Load(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

func shownMenus(row *db.Menus) (*model.Menus, error) {
	if row == nil {
		return &model.Menus{}, nil
	}
	m, err := row.Content.Fields()
	if err != nil {
		return nil, fmt.Errorf("read menus: %w", err)
	}
	return &model.Menus{Main: m.Main, Footer: m.Footer, Version: row.Version}, nil
}

// MenusSet replaces both menus if they have the expected version, which is 0 before they are first
// set.
func (m Mutation) MenusSet(ctx context.Context, expectedVersion int64,
	in document.MenusFields,
) (*model.MenusPayload, error) {
	c := &core.Check{}
	checkMenu(c, "main", in.Main)
	checkMenu(c, "footer", in.Footer)
	if err := c.Err(); err != nil {
		return nil, err
	}
	row, err := core.Commit(ctx, m.Core, xid.Store, func(ctx context.Context) (*db.Menus, *change.Record, error) {
		if err := m.BumpStorefrontRevision(ctx); err != nil {
			return nil, nil, err
		}
		row, err := m.writeMenus(ctx, expectedVersion, document.NewMenus(in))
		return row, &change.Record{Action: "menus.set", Kind: xid.Store, ID: viewer.From(ctx).Store}, err
	})
	if err != nil {
		return nil, err
	}
	shown, err := shownMenus(row)
	return &model.MenusPayload{Menus: shown}, err
}

// writeMenus inserts the row or changes it by compare-and-set.
func (m Mutation) writeMenus(ctx context.Context, expected int64, content document.Menus) (*db.Menus, error) {
	row, err := m.menusRow(ctx)
	if err != nil {
		return nil, err
	}
	if row == nil {
		row = &db.Menus{ID: viewer.From(ctx).Store}
	}
	if row.Version != expected {
		return nil, fault.State(fault.VersionMismatch,
			fmt.Sprintf("The menus have version %d, not %d. Read them again.", row.Version, expected))
	}
	row.Version, row.UpdatedAt, row.Content = row.Version+1, change.UpdateTime(ctx, row.UpdatedAt), content
	if expected == 0 {
		return row, m.insertMenus(ctx, row)
	}
	n, err := m.Client(ctx).Menus.Update().Where(dbmenus.ID(row.ID), dbmenus.Version(expected)).
		SetVersion(row.Version).SetUpdatedAt(row.UpdatedAt).SetContent(content).Save(ctx)
	if err == nil && n == 0 {
		err = changedMeanwhile()
	}
	return row, err
}

func (m Mutation) insertMenus(ctx context.Context, row *db.Menus) error {
	row.UpdatedAt = micros.Now()
	err := m.Client(ctx).Menus.Create().SetID(row.ID).SetVersion(row.Version).SetUpdatedAt(row.UpdatedAt).
		SetContent(row.Content).Exec(ctx)
	if ent.IsDuplicate(err) {
		return changedMeanwhile()
	}
	return err
}

func changedMeanwhile() error {
	return fault.State(fault.VersionMismatch, "The menus were changed in the meantime. Read them again.")
}

func checkMenu(c *core.Check, name string, links []*document.MenuLink) {
	count := len(links)
	for _, l := range links {
		count += len(l.Children)
	}
	if count > limit.MenuLinks {
		c.Add(name, fault.TooLong, "The menu has more than "+strconv.Itoa(limit.MenuLinks)+" links.")
		return
	}
	for i, l := range links {
		at := name + "/" + strconv.Itoa(i)
		checkLink(c, at, l)
		for j, child := range l.Children {
			below := at + "/children/" + strconv.Itoa(j)
			checkLink(c, below, child)
			if len(child.Children) > 0 {
				c.Add(below+"/children", fault.OutOfRange, "A nested link cannot contain other links.")
			}
		}
	}
}

// checkLink checks one link: it must have exactly the members that its target needs. It does not
// check that the resource exists, because it may be deleted at any time.
func checkLink(c *core.Check, at string, l *document.MenuLink) {
	c.Line(at+"/title", l.Title, limit.Line)
	var kind xid.Kind
	switch l.Target {
	case state.TargetPage:
		kind = xid.Page
	case state.TargetProduct:
		kind = xid.Product
	case state.TargetCollection:
		kind = xid.Collection
	}
	switch {
	case kind == "" && l.ResourceID != nil:
		c.Add(at+"/resource_id", fault.UnknownMember, "A link to this target cannot have a resource.")
	case kind != "" && l.ResourceID == nil:
		c.Required(at+"/resource_id", false)
	case kind != "":
		if _, err := kind.Parse(*l.ResourceID); err != nil {
			c.Add(at+"/resource_id", fault.InvalidFormat, "This is not the id of a "+kind.Resource()+".")
		}
	}
	switch hasAddress := l.Target == state.TargetAddress; {
	case !hasAddress && l.Address != nil:
		c.Add(at+"/address", fault.UnknownMember, "A link to this target cannot have an address.")
	case hasAddress && l.Address == nil:
		c.Required(at+"/address", false)
	case hasAddress:
		c.Address(at+"/address", *l.Address)
	}
}
