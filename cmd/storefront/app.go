package main

import (
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

type appCmd struct {
	Create  appCreateCmd  `cmd:"" help:"Register an OAuth app."`
	List    appListCmd    `cmd:"" help:"List the apps that a store registered, newest first."`
	Show    appShowCmd    `cmd:"" help:"Show one app."`
	Update  appUpdateCmd  `cmd:"" help:"Change an app."`
	Disable appDisableCmd `cmd:"" help:"Disable an app in every store."`
	Enable  appEnableCmd  `cmd:"" help:"Enable a disabled app."`
	Verify  appVerifyCmd  `cmd:"" help:"Set whether an app is verified."`
	Legacy  appLegacyCmd  `cmd:"" help:"Set whether an app may still use the retired v0 of the API."`
}

type client struct {
	ID           string   `json:"id"`
	ClientID     string   `json:"client_id"`
	Name         string   `json:"name"`
	Developer    string   `json:"developer"`
	Website      *string  `json:"website"`
	RedirectURIs []string `json:"redirect_uris"`
	Scopes       []string `json:"scopes"`
	Legacy       bool     `json:"legacy"`
	VerifiedAt   *string  `json:"verified_at"`
	DisabledAt   *string  `json:"disabled_at"`
	Version      int64    `json:"version"`
	CreatedAt    string   `json:"created_at"`
	UpdatedAt    string   `json:"updated_at"`
}

func clientOf(a *model.App) client {
	return client{ID: xid.App.Format(a.ID), ClientID: a.ClientID, Name: a.Name, Developer: a.Developer,
		Website: a.Website, RedirectURIs: a.RedirectURIs(), Scopes: a.Scopes(), Legacy: a.Legacy,
		VerifiedAt: written(a.VerifiedAt), DisabledAt: written(a.DisabledAt), Version: a.Version,
		CreatedAt: a.ID.Time().String(), UpdatedAt: a.UpdatedAt.String()}
}

// printApp prints the app of a mutation.
func (o output) printApp(s *session, p *model.AppPayload, err error) error {
	if err != nil {
		return err
	}
	c := clientOf(p.App)
	return o.print(s, c, table{{"id", c.ID}, {"client id", c.ClientID}, {"name", c.Name}, {"developer", c.Developer},
		{"website", shown(c.Website)}, {"redirect URIs", strings.Join(c.RedirectURIs, " ")},
		{"scopes", strings.Join(c.Scopes, " ")}, {"v0", strconv.FormatBool(c.Legacy)},
		{"verified", shown(c.VerifiedAt)},
		{"disabled", shown(c.DisabledAt)}})
}

type appCreateCmd struct {
	target
	Name        string   `arg:"" help:"The app's name, as people see it."`
	Developer   *string  `placeholder:"NAME" help:"The developer's name (default: the store's name)."`
	Website     *string  `placeholder:"URL" help:"An https address."`
	RedirectURI []string `name:"redirect-uri" required:"" sep:"none" placeholder:"URI" help:"Redirect address: https, http on 127.0.0.1 or [::1], or a private scheme that contains a dot; repeatable."`
	Scope       []string `required:"" placeholder:"SCOPE" help:"A scope that the app may request, such as orders.read; repeat it, or separate several with commas."`
}

func (c *appCreateCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		p, err := w.Mutation().AppCreate(w.ctx, model.AppCreateInput{Name: c.Name, Developer: c.Developer,
			Website: c.Website, RedirectUris: c.RedirectURI, Scopes: c.Scope})
		return c.printApp(s, p, err)
	})
}

type appListCmd struct{ target }

func (c *appListCmd) Run(s *session) error {
	return list(c.target, s, []string{"ID", "CLIENT ID", "NAME", "SCOPES", "V0", "DISABLED"},
		func(w work) ([]*model.App, error) { return pages(w, w.Query().Apps) }, clientOf, func(v client) []string {
			return []string{v.ID, v.ClientID, v.Name, strings.Join(v.Scopes, " "), strconv.FormatBool(v.Legacy),
				shown(v.DisabledAt)}
		})
}

type oneApp struct {
	target
	ID string `arg:"" help:"The app's id, app_..."`
}

func (c oneApp) change(s *session, change func(w work, version int64) (*model.AppPayload, error)) error {
	return c.enter(s, func(w work) error {
		a, err := w.Query().App(w.ctx, c.ID)
		if err != nil {
			return err
		}
		p, err := change(w, a.Version)
		return c.printApp(s, p, err)
	})
}

type appShowCmd struct{ oneApp }

func (c *appShowCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		a, err := w.Query().App(w.ctx, c.ID)
		return c.printApp(s, &model.AppPayload{App: a}, err)
	})
}

type appUpdateCmd struct {
	oneApp
	Name        *string  `placeholder:"NAME" help:"The app's name, as people see it."`
	Developer   *string  `placeholder:"NAME" help:"The developer's name."`
	Website     *string  `placeholder:"URL" help:"An https address, or empty for none."`
	RedirectURI []string `name:"redirect-uri" sep:"none" placeholder:"URI" help:"Redirect address, replacing all previous ones; repeatable."`
	Scope       []string `placeholder:"SCOPE" help:"A scope that the app may request, replacing all previous ones; repeat it, or separate several with commas."`
}

func (c *appUpdateCmd) Run(s *session) error {
	var in model.AppUpdateInput
	if c.Name != nil {
		in.Name = model.Given(c.Name)
	}
	if c.Developer != nil {
		in.Developer = model.Given(c.Developer)
	}
	switch {
	case c.Website == nil:
	case *c.Website == "":
		in.Website = model.Given[*string](nil)
	default:
		in.Website = model.Given(c.Website)
	}
	if c.RedirectURI != nil {
		in.RedirectUris = model.Given(c.RedirectURI)
	}
	if c.Scope != nil {
		in.Scopes = model.Given(c.Scope)
	}
	return c.change(s, func(w work, version int64) (*model.AppPayload, error) {
		return w.Mutation().AppUpdate(w.ctx, c.ID, version, in)
	})
}

type appDisableCmd struct{ oneApp }

func (c *appDisableCmd) Run(s *session) error {
	return c.change(s, func(w work, version int64) (*model.AppPayload, error) {
		return w.Mutation().AppDisable(w.ctx, c.ID, version)
	})
}

type appEnableCmd struct{ oneApp }

func (c *appEnableCmd) Run(s *session) error {
	return c.change(s, func(w work, version int64) (*model.AppPayload, error) {
		return w.Mutation().AppEnable(w.ctx, c.ID, version)
	})
}

type appVerifyCmd struct {
	State string `arg:"" enum:"on,off" help:"on or off."`
	oneApp
}

func (c *appVerifyCmd) Run(s *session) error {
	return c.change(s, func(w work, version int64) (*model.AppPayload, error) {
		return w.Mutation().AppVerify(w.ctx, c.ID, version, c.State == "on")
	})
}

type appLegacyCmd struct {
	State string `arg:"" enum:"on,off" help:"on or off."`
	oneApp
}

func (c *appLegacyCmd) Run(s *session) error {
	return c.change(s, func(w work, version int64) (*model.AppPayload, error) {
		return w.Mutation().AppSetLegacy(w.ctx, c.ID, version, c.State == "on")
	})
}
