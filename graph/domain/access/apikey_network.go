package access

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	keys "github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// APIKeyAllow sets the networks from which a key may be used; an empty list allows all. The change
// takes effect at once in this process, and in others when their cached credentials expire.
func (m Mutation) APIKeyAllow(ctx context.Context, id string, networks []string) (*model.APIKeyPayload, error) {
	uid, err := core.ParseID(xid.APIKey, id)
	if err != nil {
		return nil, err
	}
	c := &core.Check{}
	list := checkNetworks(c, "allowed_networks", networks)
	if err := c.Err(); err != nil {
		return nil, err
	}
	var row *db.APIKey
	err = m.Commit(ctx, xid.APIKey, func(ctx context.Context) (_ *change.Record, err error) {
		if row, err = m.apiKey(ctx, uid); err != nil {
			return nil, err
		}
		n, err := m.Client(ctx).APIKey.Update().Where(keys.ID(uid), keys.RevokedAtIsNil()).SetNetworks(list).Save(ctx)
		if err := unrevoked(xid.APIKey, n, err); err != nil {
			return nil, err
		}
		row.Networks = &list
		return &change.Record{Action: "api_key.allow", Kind: xid.APIKey, ID: uid, Detail: list},
			m.Keys.Revoke(ctx, row.StoreID, row.StoreID)
	})
	if err != nil {
		return nil, err
	}
	return &model.APIKeyPayload{APIKey: &model.APIKey{APIKey: row}}, nil
}

// checkNetworks checks an allow-list and returns its stored form: sorted, without duplicates,
// separated by spaces.
func checkNetworks(c *core.Check, name string, texts []string) string {
	if len(texts) > limit.KeyNetworks {
		c.Add(name, fault.TooLong, fmt.Sprintf("A key can have at most %d networks.", limit.KeyNetworks))
		return ""
	}
	list := make([]string, 0, len(texts))
	for i, text := range texts {
		p, err := apikey.ParseNetwork(strings.TrimSpace(text))
		if err != nil {
			c.Add(name+"/"+strconv.Itoa(i), fault.InvalidFormat,
				"Write a network such as 192.0.2.0/24 or 2001:db8::/32, or an address: "+err.Error()+".")
			continue
		}
		list = append(list, p.String())
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}
