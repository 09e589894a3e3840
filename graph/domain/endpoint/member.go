package endpoint

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/webhook/filter"
	chosen "github.com/storefront-go/storefront/graph/engine/webhook/selection"
	"github.com/storefront-go/storefront/graph/model"
)

// checkMember adds an error for a condition on a member that no payload of the events has, since it
// would never match.
func checkMember(c *core.Check, i int, events, field string) {
	if !member(events, field) {
		c.Add("filters/"+strconv.Itoa(i)+"/field", fault.UnknownValue, "No payload of these events has "+field+".")
	}
}

// checkChange is [checkMember] for a changed endpoint. Such a condition may stay if the endpoint had
// it before.
func checkChange(before, after *db.WebhookEndpoint) error {
	former, err := (&model.WebhookEndpoint{WebhookEndpoint: before}).Filters()
	if err != nil {
		return err
	}
	present, err := (&model.WebhookEndpoint{WebhookEndpoint: after}).Filters()
	if err != nil {
		return err
	}
	c := &core.Check{}
	for i, f := range present {
		kept := func(old *filter.Condition) bool { return old.Field == f.Field && !member(before.Events, f.Field) }
		if !slices.ContainsFunc(former, kept) {
			checkMember(c, i, after.Events, f.Field)
		}
	}
	return c.Err()
}

// member reports whether a payload of one of the events has a member.
func member(events, field string) bool {
	return slices.ContainsFunc(strings.Fields(events), func(name string) bool {
		var object any
		if err := json.Unmarshal(chosen.Example(event.Type(name)), &object); err != nil {
			return true // an unknown event
		}
		steps, _ := strings.CutPrefix(field, "object.")
		return mayLead(object, strings.Split(steps, "."))
	})
}

// mayLead reports whether a path may lead to a member below a value. An absent value may be
// anything.
func mayLead(value any, steps []string) bool {
	for _, step := range steps {
		if value == nil {
			return true
		}
		members, _ := value.(map[string]any)
		next, ok := members[step]
		if !ok {
			return false
		}
		value = next
	}
	return true
}

// checkSelection checks the payload of an endpoint as it is to be stored: a selection is there if and
// only if it is the payload, and covers the events. It returns both as stored.
func checkSelection(c *core.Check, payload state.WebhookPayload, selection *string, events string,
) (state.WebhookPayload, *string) {
	switch {
	case payload == state.PayloadSelection && selection == nil:
		c.Add("selection", fault.Required, "The payload selection needs a selection.")
	case payload != state.PayloadSelection && selection != nil:
		c.Add("selection", fault.InvalidFormat, "A selection needs the payload selection.")
	case selection == nil:
		return payload, nil
	default:
		compileSelection(c, *selection, events)
	}
	return state.PayloadFull, selection
}

func compileSelection(c *core.Check, selection, events string) {
	s, err := chosen.Compile(selection)
	if p, wrong := errors.AsType[*chosen.Problem](err); wrong {
		c.Add("selection", p.Code, p.Detail)
		return
	}
	names, types := s.Missing(strings.Fields(events))
	if len(names) > 0 {
		c.Add("selection", fault.Required, "The selection has no fields of "+strings.Join(types, ", ")+" for "+
			truncated(strings.Join(names, ", "))+".")
	}
}
