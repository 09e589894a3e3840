package apikey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// errNotLive means that a credential is unknown, revoked or expired, or that its owner is gone.
var errNotLive = errors.New("credential is not live")

type found struct {
	query string
	// read scans the columns after the common ones and fills the entry.
	read func(scan func(...any) error, e *entry, now micros.Time) error
}

// from begins every look-up: the directory leads to the store and, by its primary key, to the
// credential's row. It is one statement, which reads each table by a whole key, since every request
// with an uncached credential waits for it.
const from = "SELECT s.status, s.currency, s.legacy, c.store_id, c.credential_id, "

var kinds = map[Kind]found{
	Key: {from + "k.lineage_id, k.name, k.scopes, k.networks, k.revoked_at, k.expires_at, k.retires_at" +
		" FROM credentials c JOIN stores s ON s.id = c.store_id" +
		" JOIN api_keys k ON k.store_id = c.store_id AND k.id = c.credential_id" +
		" WHERE c.hash = ? AND c.kind = ?", readKey},
	Staff: {from + "t.user_id, u.name, m.role, t.revoked_at, t.expires_at, t.sensitive, s.second_factor" +
		" FROM credentials c JOIN stores s ON s.id = c.store_id" +
		" JOIN staff_tokens t ON t.store_id = c.store_id AND t.id = c.credential_id" +
		" JOIN staff m ON m.store_id = t.store_id AND m.id = t.user_id JOIN users u ON u.id = t.user_id" +
		" WHERE c.hash = ? AND c.kind = ?", readStaff},
	Access: {from + "g.id, g.app_store_id, a.id, a.name, g.scopes, t.scopes, a.scopes, a.legacy, a.disabled_at, g.revoked_at, " +
		"g.expires_at, t.revoked_at, t.expires_at, g.answer IS NOT NULL AND g.answer_token = t.id, " +
		"COALESCE(g.resource, '')" +
		" FROM credentials c JOIN stores s ON s.id = c.store_id" +
		" JOIN access_tokens t ON t.store_id = c.store_id AND t.id = c.credential_id" +
		" JOIN grants g ON g.store_id = t.store_id AND g.id = t.grant_id" +
		" JOIN apps a ON a.store_id = g.app_store_id AND a.id = g.app_id" +
		" WHERE c.hash = ? AND c.kind = ?", readAccess},
}

func (k *Keeper) find(ctx context.Context, sum digest.Sum, kind Kind, now micros.Time) (*entry, error) {
	lookup, ok := kinds[kind]
	if !ok {
		return nil, errNotLive
	}
	e := &entry{viewer: new(viewer.Viewer), kind: kind}
	var status state.StoreStatus
	err := ent.Read(ctx, k.store.DB(ctx), func(rows *sql.Rows) error {
		return lookup.read(func(own ...any) error {
			v := e.viewer
			return rows.Scan(append([]any{&status, &v.Currency, &v.Legacy, &v.Store, &v.Credential}, own...)...)
		}, e, now)
	}, lookup.query, sum, string(kind))
	if err == nil && status != state.StoreOpen { // also without a row
		err = errNotLive
	}
	return e, err
}

func readKey(scan func(...any) error, e *entry, now micros.Time) error {
	v, scopes := e.viewer, ""
	var networks *string
	var own, rotated end
	err := scan(&v.Principal, &v.Name, &scopes, &networks, &own.revoked, &own.expires, &rotated.expires)
	if err != nil {
		return fmt.Errorf("scan key: %w", err)
	}
	if networks != nil && *networks != "" {
		if e.networks, err = ParseNetworks(strings.Fields(*networks)); err != nil {
			return fmt.Errorf("read the networks of a key: %w", err)
		}
	}
	v.Kind, v.Actor = viewer.APIKey, v.Credential
	v.Granted = scope.Parse(scopes)
	v.Scopes = v.Granted.Effective()
	return e.bound(now, own, rotated)
}

func readStaff(scan func(...any) error, e *entry, now micros.Time) error {
	v := e.viewer
	var end end
	var sensitive sql.Null[bool]
	if err := scan(&v.Actor, &v.Name, &v.Role, &end.revoked, &end.expires, &sensitive, &e.needsFactor); err != nil {
		return fmt.Errorf("scan staff token: %w", err)
	}
	v.Sensitive = sensitive.V
	v.Kind, v.Principal = viewer.Staff, v.Actor
	v.Granted = v.Role.Scopes()
	v.Scopes = v.Granted.Effective()
	return e.bound(now, end)
}

// readAccess reads the viewer of an app. Its token is valid only with its grant and while the app
// is enabled, and has the scopes that were granted and that the app is registered for at present
// (contract, section 7).
func readAccess(scan func(...any) error, e *entry, now micros.Time) error {
	v := e.viewer
	var granted, registered string
	var narrow *string
	var app xid.ID
	var disabled sql.Null[micros.Time]
	var legacy bool
	var unused sql.Null[bool]
	var family, token end
	err := scan(&v.Grant, &v.AppStore, &app, &v.Name, &granted, &narrow, &registered, &legacy, &disabled,
		&family.revoked, &family.expires, &token.revoked, &token.expires, &unused, &v.Resource)
	if err != nil {
		return fmt.Errorf("scan access token: %w", err)
	}
	if disabled.Valid {
		return errNotLive
	}
	e.unused = unused.V
	v.Kind, v.Actor, v.Principal = viewer.OAuthApp, app, app
	v.Legacy = v.Legacy || legacy
	v.Granted = scope.Parse(granted)
	v.Scopes = v.Granted.Effective() & scope.Parse(registered).Effective()
	if narrow != nil {
		v.Scopes &= scope.Parse(*narrow).Effective()
	}
	return e.bound(now, family, token)
}

type end struct{ revoked, expires *micros.Time }

func (e *entry) bound(now micros.Time, ends ...end) error {
	for _, t := range ends {
		if t.revoked != nil || t.expires != nil && *t.expires <= now {
			return errNotLive
		}
		if t.expires != nil && (e.expiresAt == 0 || *t.expires < e.expiresAt) {
			e.expiresAt = *t.expires
		}
	}
	return nil
}
