package merchant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/storehandle"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/access"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/model"
)

// MaxStoreHandle is the longest handle of a store: a label of a host name (RFC
// 1035, section 2.3.4).
const MaxStoreHandle = 63

// StoreCreate creates another store, owned by the calling person.
func (m Mutation) StoreCreate(ctx context.Context, in model.StoreCreateInput) (*model.StorePayload, error) {
	v, err := core.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !v.IsPerson() || v.Role != viewer.Owner {
		return nil, fault.New(fault.Forbidden, "Only a person who owns a store can create another one.")
	}
	s, _, err := m.NewStore(ctx, in, access.Person{ID: v.Actor})
	if err != nil {
		return nil, err
	}
	return &model.StorePayload{Store: s}, nil
}

// NewStore creates a store with its owner, who is created first if they are new. The mutation and
// the demo share it; the caller checks permissions. Its rows name the viewer of ctx as their actor,
// or else the operator.
func (r *Resolver) NewStore(ctx context.Context, in model.StoreCreateInput,
	owner access.Person,
) (*model.Store, *db.User, error) {
	c := &core.Check{}
	if owner.ID.IsNil() {
		owner.Email = c.Email("owner/email", owner.Email)
		c.Name("owner/name", owner.Name, limit.Line)
	}
	r.checkStore(c, &in)
	if err := c.Err(); err != nil {
		return nil, nil, err
	}
	person, err := r.access.Person(ctx, owner)
	if err != nil {
		return nil, nil, err
	}
	var s *model.Store
	err = r.oneAtATime(ctx, owner.ID, func(room func(context.Context) error) (err error) {
		s, err = r.newStore(ctx, in, owner.Demo, func(ctx context.Context) (err error) {
			if err := room(ctx); err != nil {
				return err
			}
			_, err = r.access.Enrol(ctx, person.ID, viewer.Owner)
			return fault.Wrap("create the owner's membership", err)
		})
		return err
	})
	return s, person, err
}

// NewStoreFor creates a store whose owner is invited, and returns the link of the invitation. It is
// for the operator.
func (r *Resolver) NewStoreFor(ctx context.Context, in model.StoreCreateInput,
	email string,
) (s *model.Store, link string, err error) {
	c := &core.Check{}
	email = c.Email("owner/email", email)
	r.checkStore(c, &in)
	if err := c.Err(); err != nil {
		return nil, "", err
	}
	s, err = r.newStore(ctx, in, false, func(ctx context.Context) (err error) {
		_, link, err = r.access.Invite(ctx, email, viewer.Owner)
		return err
	})
	return s, link, err
}

// newStore creates a store; let adds its first member.
func (r *Resolver) newStore(ctx context.Context, in model.StoreCreateInput, demo bool,
	let func(context.Context) error,
) (*model.Store, error) {
	id := xid.New()
	ctx = inStore(ctx, id)
	if err := r.Themes.Offer(ctx); err != nil {
		return nil, core.Explain("theme", err)
	}
	return core.Commit(ctx, r.Core, xid.User, func(ctx context.Context) (*model.Store, *change.Record, error) {
		handle, err := r.takeHandle(ctx, id, in)
		if err != nil {
			return nil, nil, err
		}
		s, err := r.Client(ctx).Store.Create().SetID(id).SetHandle(handle).SetName(in.Name).SetCurrency(in.Currency).
			SetTimezone(in.Timezone).SetDemo(demo).SetTest(in.Test).SetUpdatedAt(id.Time()).Save(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("create store: %w", err)
		}
		if err := let(ctx); err != nil {
			return nil, nil, err
		}
		return r.ShownStore(s), r.stores().Created(s, "store.create", ""), r.setFirstTheme(ctx, s)
	})
}

// oneAtATime calls f, which creates a store for a person, while no other store is created for them. It
// returns an error if the person owns as many stores as allowed. f gets the function that checks
// this, to call in the transaction of the new store, which locks the person's row. The demo, which
// creates its owners, has no limit.
//
// If the row may be on another shard than the store, a separate transaction holds the lock and the
// limit is checked before f, outside of both: neither touches a second shard.
func (r *Resolver) oneAtATime(ctx context.Context, person xid.ID,
	f func(room func(context.Context) error) error) error {
	switch {
	case person.IsNil():
		return f(func(context.Context) error { return nil })
	case !r.Store.Sharded():
		return f(func(ctx context.Context) error {
			if err := r.Sessions.Lock(ctx, person); err != nil {
				return err
			}
			return r.roomForStore(ctx, person)
		})
	}
	lock := func(ctx context.Context) error { return r.Sessions.Lock(ctx, person) }
	return r.Sessions.Hold(ctx, lock, func() error {
		if err := r.roomForStore(ctx, person); err != nil {
			return err
		}
		return f(func(context.Context) error { return nil })
	})
}

func (r *Resolver) roomForStore(ctx context.Context, person xid.ID) error {
	p, err := r.Sessions.Of(ctx, person)
	if err != nil || p == nil {
		return err
	}
	owned, most := int64(0), r.Limits.Of(limit.Stores)
	for _, m := range p.Memberships {
		if m.Role == viewer.Owner {
			owned++
		}
	}
	if owned >= most {
		return core.Reached(limit.Stores, most)
	}
	return nil
}

func (r *Resolver) setFirstTheme(ctx context.Context, s *db.Store) error {
	t, err := r.Themes.First(ctx)
	if err != nil {
		return fmt.Errorf("set the store's theme: %w", err)
	}
	if t != nil {
		s.ActiveThemeID = &t.ID
	}
	return nil
}

// inStore returns a context in which the same viewer, or else the operator, works in another store.
func inStore(ctx context.Context, id xid.ID) context.Context {
	v := viewer.From(ctx)
	if v == nil || v.Everywhere {
		return viewer.Operator(ctx, id)
	}
	there := *v
	there.Store = id
	return viewer.With(ctx, &there)
}

// takeHandle enters the store into the directory of handles, which alone decides whether a handle
// is free.
func (r *Resolver) takeHandle(ctx context.Context, id xid.ID, in model.StoreCreateInput) (string, error) {
	if in.Handle != nil {
		err := r.handleRow(ctx, id, *in.Handle)
		if ent.IsDuplicate(err) {
			err = core.Invalid("handle", fault.Taken, "Another store has this handle.")
		}
		return *in.Handle, err
	}
	handle := StoreSlug(in.Name)
	public := xid.Store.Format(id)
	other, err := r.handleTaken(ctx, handle)
	if err != nil {
		return "", err
	}
	if other || r.reserved(handle) {
		handle = core.Suffixed(handle, public, MaxStoreHandle)
	}
	return core.FirstFree(handle, public, MaxStoreHandle, func(handle string) (string, error) {
		return handle, r.handleRow(ctx, id, handle)
	})
}

// handleTaken reports whether another store, perhaps on another shard, is known to have a handle. A
// duplicate key would abort the transaction there. A handle that is taken concurrently still does.
func (r *Resolver) handleTaken(ctx context.Context, handle string) (bool, error) {
	if !r.Store.Sharded() {
		return false, nil
	}
	there := r.Store.Aside(ctx)
	found, err := r.Client(there).StoreHandle.Query().Where(storehandle.ID(handle)).Exist(there)
	return found, fault.Wrap("look up handle", err)
}

func (r *Resolver) handleRow(ctx context.Context, id xid.ID, handle string) error {
	return fault.Wrap("take handle", r.Client(ctx).StoreHandle.Create().SetID(handle).SetStoreID(id).Exec(ctx))
}

// StoreSlug derives a handle from a store's name.
func StoreSlug(name string) string {
	s := core.Slug(name, "store")
	if impersonates(s) {
		s = "store"
	}
	return strings.TrimRight(s[:min(len(s), MaxStoreHandle)], "-")
}

// checkStore validates a new store and uppercases the currency.
func (r *Resolver) checkStore(c *core.Check, in *model.StoreCreateInput) {
	c.Name("name", in.Name, limit.Line)
	core.Opt(in.Handle, func(s string) { r.checkHandle(c, "handle", s) })
	in.Currency = c.Currency("currency", in.Currency)
	c.Timezone("timezone", in.Timezone)
}

func (r *Resolver) checkHandle(c *core.Check, name, handle string) {
	c.Handle(name, handle, MaxStoreHandle)
	if strings.HasPrefix(handle, "-") || strings.HasSuffix(handle, "-") {
		c.Add(name, fault.InvalidFormat, "A store's handle cannot start or end with a hyphen.")
	}
	if len(handle) >= 4 && handle[2:4] == "--" { // as in xn--; browsers display such labels differently (RFC 5891)
		c.Add(name, fault.InvalidFormat, "A store's handle cannot have hyphens as its third and fourth characters.")
	}
	if r.reserved(handle) {
		c.Add(name, fault.Taken, "This name is reserved.")
	}
	if impersonates(handle) {
		c.Add(name, fault.Taken, "This name is reserved for a payment service.")
	}
}

// reserved reports whether the host of a handle belongs to the service: it is {api_host}, or has a
// reserved name.
func (r *Resolver) reserved(handle string) bool {
	_, api, _ := strings.Cut(r.APIHost, "://")
	return Reserved(handle) || strings.EqualFold(r.HostOf(handle), api)
}

// reserved are host labels that belong to the service rather than to one of its stores: names that
// people type by habit, that email programs and browsers request on their own, or that strangers
// would trust (RFC 2142, section 5).
var reserved = func() map[string]bool {
	set := map[string]bool{}
	for label := range strings.FieldsSeq(`
		abuse account accounts admin administrator api apis app apps assets auth autoconfig autodiscover
		billing cdn checkout config console cpanel dashboard developers dns docs download downloads email exports
		files ftp git graphql help host hostmaster id identity images imap info internal invite isatap
		localhost login logout mail marketplace media metrics mta-sts mx ns ns1 ns2 ns3 ns4 oauth official openid
		pay payment payments pop pop3 postmaster proxy root secure security server settings sign-in sign-up signin
		signout signup sip smtp ssl ssh sso staff static status storefront support sys sysadmin system tls token
		uploads usenet vpn webdisk webhook webhooks webmail webmaster wpad www www1 www2 www3`) {
		set[label] = true
	}
	return set
}()

// payers are names under which people expect to pay or to prove their identity. No part of a
// store's handle may be one, because its host could be mistaken for theirs.
var payers = strings.Fields(`
	alipay amex applepay cashapp giropay googlepay klarna mastercard mollie paypal revolut shopify sofort square
	stripe twint venmo visa wechatpay wise zelle`)

func impersonates(handle string) bool {
	return slices.ContainsFunc(strings.Split(handle, "-"), func(part string) bool {
		return slices.Contains(payers, part)
	})
}

// Reserved reports whether no store may have a handle because a host of that name belongs to the
// service.
func Reserved(handle string) bool { return reserved[handle] }

// ReservedHandles returns the handles for which [Reserved] is true.
func ReservedHandles() []string { return slices.Sorted(maps.Keys(reserved)) }
