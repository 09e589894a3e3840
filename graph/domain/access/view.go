package access

import (
	"context"
	"slices"
	"strconv"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// SavedViews returns the views of lists that the person saved in the current store.
func (a AccountFields) SavedViews(ctx context.Context, obj *model.Account) ([]*document.View, error) {
	row, err := a.membership(ctx, obj.User)
	if err != nil {
		return nil, core.Explain("membership", err)
	}
	views, err := row.Views.List()
	return shownViews(views), err
}

func shownViews(list []document.View) []*document.View {
	return core.Map(list, func(v document.View) *document.View { return &v })
}

// SavedViewsSave adds views of lists to those of the caller. A view replaces one of the same list and
// name.
func (m Mutation) SavedViewsSave(ctx context.Context, views []*document.View) (*model.SavedViewsPayload, error) {
	c := &core.Check{}
	if len(views) > limit.Views {
		c.Add("views", fault.TooLong, "There are more than "+strconv.Itoa(limit.Views)+" views.")
		return nil, c.Err()
	}
	for i, v := range views {
		at := "views/" + strconv.Itoa(i) + "/"
		c.Label(at+"list", "list", v.List, limit.ViewName)
		c.Line(at+"name", v.Name, limit.ViewName)
		c.Line(at+"query", v.Query, limit.ViewQuery)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeViews(ctx, func(now []document.View) []document.View {
		for _, v := range views {
			if i := slices.IndexFunc(now, same(v.List, v.Name)); i >= 0 {
				now[i] = *v
				continue
			}
			now = append(now, *v)
		}
		return now
	})
}

// SavedViewDelete deletes a saved view of the caller, if there is one.
func (m Mutation) SavedViewDelete(ctx context.Context, list, name string) (*model.SavedViewsPayload, error) {
	return m.changeViews(ctx, func(now []document.View) []document.View {
		return slices.DeleteFunc(now, same(list, name))
	})
}

func same(list, name string) func(document.View) bool {
	return func(v document.View) bool { return v.List == list && v.Name == name }
}

// changeViews replaces the views of the caller by what edit makes of them.
func (m Mutation) changeViews(
	ctx context.Context, edit func(now []document.View) []document.View,
) (*model.SavedViewsPayload, error) {
	v, err := human(ctx)
	if err != nil {
		return nil, err
	}
	return core.Commit(ctx, m.Core, xid.User, func(ctx context.Context) (
		*model.SavedViewsPayload, *change.Record, error,
	) {
		query := m.Client(ctx).Staff.Query().Where(staff.ID(v.Actor))
		query.Modify(ent.ForUpdate) // two tabs may save at once
		row, err := core.Only(query.Load(ctx))
		if err != nil {
			return nil, nil, core.Explain("membership", err)
		}
		views, err := row.Views.List()
		if err != nil {
			return nil, nil, err
		}
		if views = edit(views); len(views) > limit.Views {
			return nil, nil, fault.State(fault.LimitReached,
				"You have "+strconv.Itoa(limit.Views)+" saved views. Delete one first.")
		}
		err = m.Client(ctx).Staff.Update().Where(staff.ID(v.Actor)).SetViews(document.NewViews(views)).Exec(ctx)
		return &model.SavedViewsPayload{Views: shownViews(views)},
			&change.Record{Action: "staff.set_views", Kind: xid.User, ID: v.Actor}, err
	})
}
