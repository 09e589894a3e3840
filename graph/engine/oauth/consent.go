package oauth

import (
	"context"
	"errors"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/store"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
	"github.com/storefront-go/storefront/graph/engine/audit"
)

// ErrInvalidTicket means that a ticket was used, is too old, or is of another session or request.
var ErrInvalidTicket = errors.New("consent ticket is not valid")

// Screen is the contents of the consent screen.
type Screen struct {
	*Request
	// Registrar is the name of the store that registered the app, and Since when it did, because
	// the app's own claims prove nothing. Both are empty for a metadata document; an app that
	// registered itself has no registrar.
	Registrar string
	Since     micros.Time
	// Earlier is the scopes of the app's live grants in this store, and Known reports whether there
	// is one: other scopes are new.
	Earlier scope.Set
	Known   bool
	// Missing is the requested scopes that the person lacks. If there are any, or if Forbidden, the
	// screen offers no Allow.
	Missing   scope.Set
	Forbidden bool
	Ticket    string
}

// Allowable reports whether the person may consent.
func (s *Screen) Allowable() bool { return !s.Forbidden && s.Missing == 0 }

// Consent returns the consent screen for the viewer, a person in the store that they chose.
func (s *Server) Consent(ctx context.Context, r *Request) (*Screen, error) {
	v := viewer.From(ctx)
	if v == nil || !v.IsPerson() {
		return nil, fault.New(fault.AuthenticationRequired, "Sign in first.")
	}
	screen := &Screen{Request: r, Missing: r.Scopes &^ v.Scopes, Forbidden: !MayConsent(v.Role),
		Ticket: s.ticket(v, r)}
	switch {
	case r.Registration != nil:
		screen.Since = r.Registration.Issued
	case r.App.MetadataURL == nil:
		home, err := ent.Only(s.Store.DB(ctx).Store.Query().Where(store.ID(r.App.StoreID)).Load(viewer.Everywhere(ctx)))
		if err != nil {
			return nil, fault.Wrap("read the app's store", err)
		}
		screen.Registrar, screen.Since = home.Name, r.App.ID.Time()
	}
	app, err := s.appInStore(ctx, v.Store, r.App)
	if err != nil {
		return nil, err
	}
	if err := s.checkRegistration(ctx, r, app); err != nil {
		return nil, err
	}
	now := micros.Now()
	rows, err := s.Store.DB(ctx).Grant.Query().
		Where(grant.AppID(app), grant.RevokedAtIsNil(), grant.CodeUsedAtNotNil(), grant.ExpiresAtGT(now)).
		Order(db.Desc(grant.FieldID)).Limit(100).All(ctx)
	if err != nil {
		return nil, fault.Wrap("read earlier grants", err)
	}
	for _, g := range rows {
		screen.Known = true
		screen.Earlier |= scope.Parse(g.Scopes).Effective()
	}
	return screen, nil
}

// MayConsent reports whether a role may connect apps (contract, section 6).
func MayConsent(r viewer.Role) bool {
	return r == viewer.Owner || r == viewer.Admin || r == viewer.Developer
}

// Allow spends the ticket and creates the grant with its code, in one transaction. It returns the
// redirect URI with the code.
func (s *Server) Allow(ctx context.Context, r *Request, ticket string) (redirect string, err error) {
	v := viewer.From(ctx)
	if v == nil || !v.IsPerson() || !MayConsent(v.Role) || !v.Scopes.Covers(r.Scopes) {
		return "", fault.New(fault.Forbidden, "Your role in this store does not include the requested access.")
	}
	if v.LacksFactor {
		return "", fault.New(fault.Forbidden,
			"This store requires a second factor. Set one up in the dashboard under Security first.")
	}
	redirect, err = s.allow(ctx, r, ticket)
	if ent.IsDuplicate(err) { // another first consent to the same document was faster
		redirect, err = s.allow(ctx, r, ticket)
	}
	return redirect, err
}

func (s *Server) allow(ctx context.Context, r *Request, ticket string) (redirect string, err error) {
	v, code := viewer.From(ctx), apikey.Mint(apikey.Code)
	err = s.spend(ctx, r, ticket, func(ctx context.Context, c *db.Client) error {
		now, id := micros.Now(), xid.New()
		if err := addCredentials(ctx, c, directoryEntry{code, id}); err != nil {
			return err
		}
		app, err := s.ensureApp(ctx, c, r.App)
		if err != nil {
			return err
		}
		if err := s.checkRegistration(ctx, r, app.ID); err != nil {
			return err
		}
		row := c.Grant.Create().SetID(id).SetAppStoreID(app.StoreID).SetAppID(app.ID).
			SetUserID(v.Actor).SetUserName(v.Name).SetScopes(r.Scopes.String()).SetRedirectURI(r.RedirectURI).
			SetCodeChallenge(r.challenge).SetCodeExpiresAt(now.Add(CodeLife)).SetExpiresAt(now.Add(GrantLife)).
			SetUpdatedAt(now)
		if r.resource != "" {
			row.SetResource(r.resource)
		}
		if err := row.Exec(ctx); err != nil {
			return fault.Wrap("create grant", err)
		}
		return audit.Write(ctx, c, "grant.create", xid.Grant, id, r.Scopes.Brief())
	})
	if err != nil {
		return "", err
	}
	return r.answer("code", code.Reveal()), nil
}

// Deny spends the ticket and returns the redirect URI with the error.
func (s *Server) Deny(ctx context.Context, r *Request, ticket string) (redirect string, err error) {
	err = s.spend(ctx, r, ticket, func(ctx context.Context, c *db.Client) error {
		app, err := s.appInStore(ctx, viewer.From(ctx).Store, r.App)
		if err != nil {
			return err
		}
		var detail string
		if r.App.MetadataURL != nil { // the app may have no row
			detail = r.App.Developer
		}
		return audit.Write(ctx, c, "grant.deny", xid.App, app, detail)
	})
	if err != nil {
		return "", err
	}
	return r.answer("error", AccessDenied, "error_description", "The person denied the request."), nil
}

// spend runs f in a transaction that uses the ticket up: its primary key lets one of two through.
func (s *Server) spend(
	ctx context.Context, r *Request, ticket string, f func(context.Context, *db.Client) error,
) error {
	v := viewer.From(ctx)
	if v == nil || !v.IsPerson() {
		return fault.New(fault.AuthenticationRequired, "Sign in first.")
	}
	id, ok := s.open(v, r, ticket)
	if !ok {
		return ErrInvalidTicket
	}
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		c := s.Store.DB(ctx)
		if err := c.ConsentTicket.Create().SetID(id).Exec(ctx); err != nil {
			if ent.IsDuplicate(err) {
				return ErrInvalidTicket
			}
			return fault.Wrap("spend ticket", err)
		}
		return f(ctx, c)
	})
}

type directoryEntry struct {
	secret apikey.Secret
	id     xid.ID
}

// addCredentials adds the hashes of credentials of the viewer's store to the directory.
func addCredentials(ctx context.Context, c *db.Client, entries ...directoryEntry) error {
	args := make([]any, 0, 4*len(entries))
	for _, l := range entries {
		_, kind, ok := apikey.Parse(l.secret.Reveal())
		if !ok {
			return errors.New("enter credential: malformed")
		}
		args = append(args, digest.Sum(l.secret.Hash()), viewer.From(ctx).Store, l.id, string(kind))
	}
	_, err := c.ExecContext(ctx, "INSERT INTO credentials (hash, store_id, credential_id, kind) VALUES (?, ?, ?, ?)"+
		strings.Repeat(", (?, ?, ?, ?)", len(entries)-1), args...)
	return fault.Wrap("enter credential", err)
}
