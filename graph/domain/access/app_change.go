package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/oauth"
	"github.com/storefront-go/storefront/graph/model"
)

// AppCreate registers an OAuth app of the viewer's store. Callers can only register scopes that
// they have.
func (m Mutation) AppCreate(ctx context.Context, in model.AppCreateInput) (*model.AppPayload, error) {
	c := &core.Check{}
	checkPublisher(c, "name", in.Name)
	checkAppTexts(c, in.Developer, in.Website)
	uris := checkRedirects(c, "redirect_uris", in.RedirectUris)
	scopes := checkScopes(c, "scopes", in.Scopes)
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := within(ctx, scopes); err != nil {
		return nil, err
	}
	a := &db.App{ID: xid.New(), ClientID: strings.ToLower(rand.Text()), Name: in.Name, Website: in.Website,
		RedirectUris: uris, Scopes: scopes.String()}
	core.Opt(in.Developer, func(s string) { a.Developer = s })
	return core.Commit(ctx, m.Core, xid.App, func(ctx context.Context) (*model.AppPayload, *change.Record, error) {
		row, err := m.registerApp(ctx, a)
		if err != nil {
			return nil, nil, err
		}
		return &model.AppPayload{App: shownApp(row)}, m.apps().Created(row, "app.create", scopes.Brief()), nil
	})
}

// registerApp first adds the client id to the directory, which guarantees that it is unique, and
// then writes the app.
func (m Mutation) registerApp(ctx context.Context, a *db.App) (*db.App, error) {
	if err := m.Room(ctx, limit.Apps, ent.Primary, core.FindIn(ctx, m.registered(ctx))); err != nil {
		return nil, err
	}
	if err := m.checkNameFree(ctx, a.ID, a.Name); err != nil {
		return nil, err
	}
	s, err := m.CurrentStore(ctx)
	if err != nil {
		return nil, err
	}
	err = m.Client(ctx).OAuthClient.Create().SetID(a.ClientID).SetStoreID(s.ID).SetAppID(a.ID).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("reserve client id: %w", err)
	}
	row, err := m.Client(ctx).App.Create().SetID(a.ID).SetClientID(a.ClientID).SetName(a.Name).
		SetDeveloper(cmp.Or(a.Developer, s.Name)).SetNillableWebsite(a.Website).
		SetRedirectUris(a.RedirectUris).SetScopes(a.Scopes).SetUpdatedAt(a.ID.Time()).
		SetNillableCreatedBy(creator(ctx)).Save(ctx)
	return row, fault.Wrap("register app", err)
}

func checkAppTexts(c *core.Check, developer, website *string) {
	core.Opt(developer, func(s string) { checkPublisher(c, "developer", s) })
	core.Opt(website, func(s string) { c.HTTPS("website", s) })
}

func checkRedirects(c *core.Check, name string, uris []string) string {
	switch {
	case len(uris) == 0:
		c.Add(name, fault.TooShort, "An app needs at least one redirect URI.")
	case len(uris) > limit.RedirectURIs:
		c.Add(name, fault.TooLong, "There are more than "+strconv.Itoa(limit.RedirectURIs)+" redirect URIs.")
		return ""
	}
	var kept []string
	for i, uri := range uris {
		at := name + "/" + strconv.Itoa(i)
		if len(uri) > oauth.MaxRedirectURI {
			c.Add(at, fault.TooLong, "The redirect URI has more than "+strconv.Itoa(oauth.MaxRedirectURI)+" bytes.")
		} else if wrong := oauth.CheckRedirectURI(uri); wrong != "" {
			c.Add(at, fault.InvalidFormat, wrong)
		}
		if !slices.Contains(kept, uri) {
			kept = append(kept, uri)
		}
	}
	return strings.Join(kept, " ")
}

func checkScopes(c *core.Check, name string, names []string) scope.Set {
	if len(names) == 0 {
		c.Add(name, fault.TooShort, "At least one scope is required.")
	}
	for i, s := range names {
		if !scope.Known(s) {
			c.Add(name+"/"+strconv.Itoa(i), fault.UnknownValue, "Unknown scope.")
		}
	}
	return scope.Of(names...)
}

type appEdit = change.Edit[*db.App, *db.AppUpdate]

func (r *Resolver) apps() *change.Versioned[*db.App, *db.AppUpdate] {
	return &change.Versioned[*db.App, *db.AppUpdate]{
		Kind: xid.App,
		Load: r.registeredApp,
		Head: func(a *db.App) change.Head {
			return change.Head{Store: a.StoreID, ID: a.ID, Version: &a.Version, UpdatedAt: &a.UpdatedAt}
		},
		Update: func(ctx context.Context, id xid.ID, version int64) *db.AppUpdate {
			return r.Client(ctx).App.Update().Where(apps.ID(id), apps.Version(version))
		},
	}
}

// changeApp runs edit on the app if it has the expected version. Cached tokens of the app are
// dropped, so that they follow the change.
func (m Mutation) changeApp(ctx context.Context, id string, expected int64, action string,
	edit func(context.Context, *appEdit) error,
) (*model.AppPayload, error) {
	row, err := core.Change(ctx, m.Core, m.apps(), id, expected, action, func(ctx context.Context, e *appEdit) error {
		if err := edit(ctx, e); err != nil || len(e.Changed) == 0 {
			return err
		}
		e.Detail = strings.Join(e.Changed, " ")
		return m.Keys.Revoke(ctx, e.Row.StoreID, e.Row.ID)
	})
	if err != nil {
		return nil, err
	}
	return &model.AppPayload{App: shownApp(row)}, nil
}

// AppUpdate changes the given members. Removed scopes are lost at once in all grants; added scopes
// apply only to people who consent again.
//
// The redirect URIs determine who receives the app's codes and thus the access that merchants
// grant, so changing them requires all scopes of the app, as rotating a key does.
func (m Mutation) AppUpdate(ctx context.Context, id string, expectedVersion int64,
	in model.AppUpdateInput,
) (*model.AppPayload, error) {
	c := &core.Check{}
	core.NotNull(c, "name", in.Name, func(s string) { checkPublisher(c, "name", s) })
	core.NotNull(c, "developer", in.Developer, func(string) {})
	checkAppTexts(c, in.Developer.Value(), in.Website.Value())
	var uris, scopes *string
	if in.RedirectUris.IsSet() {
		uris = new(checkRedirects(c, "redirect_uris", in.RedirectUris.Value()))
	}
	if in.Scopes.IsSet() {
		scopes = new(checkScopes(c, "scopes", in.Scopes.Value()).String())
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return m.changeApp(ctx, id, expectedVersion, "app.update", func(ctx context.Context, e *appEdit) error {
		a, u, before := e.Row, e.Update, *e.Row
		core.MemberOf(&e.Changed, in.Name, "name", &a.Name, u.SetName)
		core.MemberOf(&e.Changed, in.Developer, "developer", &a.Developer, u.SetDeveloper)
		core.MemberOpt(&e.Changed, in.Website, "website", &a.Website, u.SetWebsite, u.ClearWebsite)
		core.Replace(&e.Changed, uris, "redirect_uris", &a.RedirectUris, u.SetRedirectUris)
		core.Replace(&e.Changed, scopes, "scopes", &a.Scopes, u.SetScopes)
		needed := scope.Parse(a.Scopes) &^ scope.Parse(before.Scopes)
		if a.RedirectUris != before.RedirectUris {
			needed = scope.Parse(a.Scopes)
		}
		if err := within(ctx, needed); err != nil || a.Name == before.Name {
			return err
		}
		return m.rename(ctx, e, before.Name)
	})
}

// AppDisable stops the app in every store: its tokens are refused, and consent to it is impossible.
func (m Mutation) AppDisable(ctx context.Context, id string, expectedVersion int64) (*model.AppPayload, error) {
	return m.changeApp(ctx, id, expectedVersion, "app.disable", func(_ context.Context, e *appEdit) error {
		if e.Row.DisabledAt != nil {
			return fault.State(fault.InvalidTransition, "The app is already disabled.")
		}
		now := micros.Now()
		e.Row.DisabledAt, e.Changed = &now, []string{"disabled_at"}
		e.Update.SetDisabledAt(now)
		return nil
	})
}

// AppEnable enables a disabled app with its remaining grants.
func (m Mutation) AppEnable(ctx context.Context, id string, expectedVersion int64) (*model.AppPayload, error) {
	return m.changeApp(ctx, id, expectedVersion, "app.enable", func(_ context.Context, e *appEdit) error {
		if e.Row.DisabledAt == nil {
			return fault.State(fault.InvalidTransition, "The app is not disabled.")
		}
		e.Row.DisabledAt, e.Changed = nil, []string{"disabled_at"}
		e.Update.ClearDisabledAt()
		return nil
	})
}

// AppSetLegacy sets whether v0 is served to the app (contract, section 10). Only owners and the
// operator may call it.
func (m Mutation) AppSetLegacy(ctx context.Context, id string, expectedVersion int64,
	legacy bool,
) (*model.AppPayload, error) {
	if err := core.OwnerOnly(ctx, "say whether v0 is served"); err != nil {
		return nil, err
	}
	return m.changeApp(ctx, id, expectedVersion, "app.set_legacy", func(_ context.Context, e *appEdit) error {
		core.Replace(&e.Changed, &legacy, "legacy", &e.Row.Legacy, e.Update.SetLegacy)
		return nil
	})
}
