package access

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	keys "github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// APIKeys lists the keys of the store, including revoked ones, newest first.
func (q Query) APIKeys(ctx context.Context, first *int, after *string) (*model.APIKeyConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.APIKey]{
		Name: "api_keys",
		At:   func(k *model.APIKey) page.Position { return core.ByID(k.ID) },
		Read: core.ReadNewest(ent.Primary, q.Client(ctx).APIKey.Query, shownKey),
	}, first, after)
}

// APIKey returns one key of the viewer's store.
func (q Query) APIKey(ctx context.Context, id string) (*model.APIKey, error) {
	row, err := core.Get(ctx, xid.APIKey, id, q.apiKey)
	if err != nil {
		return nil, err
	}
	return shownKey(row), nil
}

func shownKey(k *db.APIKey) *model.APIKey { return &model.APIKey{APIKey: k} }

func (r *Resolver) apiKey(ctx context.Context, id xid.ID) (*db.APIKey, error) {
	return core.Only(r.Client(ctx).APIKey.Query().Where(keys.ID(id)).Load(ctx))
}

// APIKeyCreate creates a key; its secret is only in this answer. Callers can only grant scopes that
// they have.
func (m Mutation) APIKeyCreate(ctx context.Context, in model.APIKeyCreateInput) (*model.APIKeyPayload, error) {
	granted, networks, err := checkKey(in)
	if err != nil {
		return nil, err
	}
	if err := within(ctx, granted); err != nil {
		return nil, err
	}
	if in.UnlimitedRefunds && viewer.From(ctx).Role != viewer.Owner { // the sum is an owner's decision
		return nil, fault.New(fault.Forbidden, "Only owners can create a key with unlimited refunds.")
	}
	id := xid.New()
	first := &db.APIKey{ID: id, LineageID: id, Slot: new(1),
		Name: in.Name, Scopes: granted.String(), ExpiresAt: in.ExpiresAt, Networks: &networks,
		UnlimitedRefunds: in.UnlimitedRefunds}
	return m.mintKey(ctx, change.Record{Action: "api_key.create", Detail: granted.Brief()}, first, m.roomForKey)
}

// roomForKey refuses a key above the limit. Rotation needs no check: a lineage has at most two live
// keys.
func (m Mutation) roomForKey(ctx context.Context) error {
	return m.Room(ctx, limit.APIKeys, ent.Primary,
		core.FindIn(ctx, m.Client(ctx).APIKey.Query().Where(keys.RevokedAtIsNil())))
}

func checkKey(in model.APIKeyCreateInput) (scope.Set, string, error) {
	c := &core.Check{}
	c.Line("name", in.Name, limit.Line)
	granted := checkScopes(c, "scopes", in.Scopes)
	checkExpiry(c, "expires_at", in.ExpiresAt)
	networks := checkNetworks(c, "allowed_networks", in.AllowedNetworks)
	if in.UnlimitedRefunds && !granted.Has(scope.RefundsWrite) {
		c.Add("unlimited_refunds", fault.Required, "A key without the scope refunds.write cannot refund.")
	}
	return granted, networks, c.Err()
}

func within(ctx context.Context, granted scope.Set) error {
	v, err := core.Caller(ctx)
	if err != nil {
		return err
	}
	for _, name := range (granted &^ v.Scopes).Names() {
		return &fault.Error{Kind: fault.InsufficientScope, Scope: name,
			Detail: "You do not have the scope " + name + ", so you cannot grant it."}
	}
	return nil
}

// mintKey writes a new key of a lineage and the audit record, after it ran before. The unique index
// over (lineage, slot) allows two live keys.
func (m Mutation) mintKey(ctx context.Context, note change.Record, k *db.APIKey,
	before func(context.Context) error,
) (*model.APIKeyPayload, error) {
	secret := apikey.Mint(apikey.Key)
	return core.Commit(ctx, m.Core, xid.APIKey, func(ctx context.Context) (
		*model.APIKeyPayload, *change.Record, error,
	) {
		if err := before(ctx); err != nil {
			return nil, nil, err
		}
		if err := m.register(ctx, secret, k.ID); err != nil {
			return nil, nil, err
		}
		row, err := m.Client(ctx).APIKey.Create().SetID(k.ID).SetLineageID(k.LineageID).SetNillableSlot(k.Slot).
			SetName(k.Name).SetHint(apikey.Hint(secret)).SetScopes(k.Scopes).SetNillableExpiresAt(k.ExpiresAt).
			SetNillableNetworks(k.Networks).
			SetUnlimitedRefunds(k.UnlimitedRefunds).SetNillableCreatedBy(creator(ctx)).Save(ctx)
		if ent.IsDuplicate(err) {
			return nil, nil, fault.State(fault.RotationPending,
				"This key has already been rotated, and both keys are live. Revoke one first.")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("create API key: %w", err)
		}
		note.Kind, note.ID = xid.APIKey, k.ID
		return &model.APIKeyPayload{APIKey: shownKey(row), Secret: new(secret.Reveal())}, &note, nil
	})
}

// APIKeyAllow sets the networks from which a key may be used; an empty list allows all. The change
// takes effect at once in this process, and in others when their cached credentials expire.
func (m Mutation) APIKeyAllow(ctx context.Context, id string, networks []string) (*model.APIKeyPayload, error) {
	if _, err := core.ParseID(xid.APIKey, id); err != nil {
		return nil, err // before a fault of the networks
	}
	c := &core.Check{}
	list := checkNetworks(c, "allowed_networks", networks)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeKey(ctx, id, "api_key.allow", list,
		func(ctx context.Context, row *db.APIKey, u *db.APIKeyUpdate) error {
			row.Networks = &list
			n, err := u.SetNetworks(list).Save(ctx)
			return unrevoked(xid.APIKey, n, err)
		})
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
