package merchant

import (
	"context"
	"maps"
	"strings"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/model"
)

// StoreSetLimits sets own limits of the viewer's store, each as "name=number", or removes them, as
// "name=". Only the operator may. What the store has above a limit stays.
func (m Mutation) StoreSetLimits(ctx context.Context, expectedVersion int64,
	settings []string,
) (*model.StorePayload, error) {
	if v, err := core.Caller(ctx); err != nil || v.Kind != viewer.System {
		return nil, fault.New(fault.Forbidden, "Only the operator can set limits.")
	}
	return m.changeStore(ctx, expectedVersion, "store.set_limits", func(e *storeEdit) error {
		before, err := e.Row.Limits.Values()
		if err != nil {
			return err
		}
		own := limit.Values{}
		maps.Copy(own, before)
		for _, text := range settings {
			if err := setOwn(own, text); err != nil {
				return err
			}
		}
		if !maps.Equal(own, before) {
			e.Row.Limits = document.NewLimits(own)
			e.Changed, e.Detail = []string{"limits"}, strings.Join(settings, " ")
			e.Update.SetLimits(e.Row.Limits)
			m.LimitsChanged(ctx)
		}
		return nil
	})
}

// setOwn changes one of a store's own limits.
func setOwn(own limit.Values, text string) error {
	name, number, _ := strings.Cut(text, "=")
	switch row, ok := limit.Name(name).Row(); {
	case ok && row.Whole:
		return fault.Newf(fault.ValidationFailed, "The limit %s is the same for all stores.", name)
	case ok && number == "" && text != name:
		delete(own, row.Name)
		return nil
	}
	if err := own.Set(text); err != nil {
		return fault.New(fault.ValidationFailed, err.Error())
	}
	return nil
}
