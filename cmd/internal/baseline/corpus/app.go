package corpus

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"entgo.io/ent/dialect"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// What every grant of an [App] was asked with. One verifier is as good as many:
// each side hashes it anew.
const (
	Callback = "https://app.example/callback"
	Verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// scopes of the app and of its grants.
const scopes = "orders.read orders.write products.read"

// App is an OAuth client that the first shop registered, and that the last shop
// lets in as often as asked.
type App struct {
	ClientID string

	store       *ent.Store
	home, id    xid.ID
	shop, owner xid.ID
}

// Register makes the app in a filled database.
func Register(ctx context.Context, s *ent.Store, c *Corpus) (*App, error) {
	a := &App{ClientID: strings.ToLower(rand.Text()), store: s, id: xid.New(), owner: xid.New()}
	var err error
	if a.home, err = xid.Store.Parse(c.Shops[0].ID); err != nil {
		return nil, err
	}
	if a.shop, err = xid.Store.Parse(c.Shops[len(c.Shops)-1].ID); err != nil {
		return nil, err
	}
	err = s.Admin(ctx, func(conn *sql.Conn) error {
		clients := newBulk(conn, "oauth_clients", "client_id", "store_id", "app_id")
		apps := newBulk(conn, "apps", "store_id", "id", "version", "event_sequence", "updated_at", "client_id", "name",
			"developer", "redirect_uris", "scopes", "legacy")
		return errors.Join(
			clients.add(ctx, a.ClientID, a.home[:], a.id[:]),
			apps.add(ctx, a.home[:], a.id[:], 1, 0, int64(micros.Now()), a.ClientID, "Load app", "Load Ltd",
				Callback+" http://127.0.0.1/callback", scopes, false),
			clients.flush(ctx), apps.flush(ctx))
	})
	if err != nil {
		return nil, fmt.Errorf("register an app: %w", err)
	}
	return a, nil
}

// Codes makes n grants and returns their codes, which nobody has redeemed and
// which live for a day.
func (a *App) Codes(ctx context.Context, n int) ([]apikey.Secret, error) {
	return a.let(ctx, n, apikey.Code)
}

// Tokens makes n grants whose codes were redeemed and returns their refresh
// tokens.
func (a *App) Tokens(ctx context.Context, n int) ([]apikey.Secret, error) {
	return a.let(ctx, n, apikey.Refresh)
}

// let makes grants that the secrets it returns lead to.
func (a *App) let(ctx context.Context, n int, k apikey.Kind) (list []apikey.Secret, err error) {
	list = make([]apikey.Secret, n)
	err = a.store.Admin(ctx, func(conn *sql.Conn) error {
		grants := newBulk(conn, "grants", "store_id", "id", "version", "event_sequence", "updated_at",
			"app_store_id", "app_id", "user_id", "user_name", "scopes", "redirect_uri", "code_challenge",
			"code_expires_at", "code_used_at", "refresh_hash", "refresh_expires_at", "expires_at")
		directs := newBulk(conn, "credentials", "hash", "store_id", "credential_id", "kind")
		if err := exec(ctx, conn, "BEGIN"); err != nil {
			return err
		}
		for i := range list {
			list[i] = apikey.Mint(k)
			id, hash := xid.New(), list[i].Hash()
			err := errors.Join(
				grants.add(ctx, a.grant(id, hash, k)...),
				directs.add(ctx, hash[:], a.shop[:], id[:], string(k)))
			if err != nil {
				return err
			}
		}
		if err := errors.Join(grants.flush(ctx), directs.flush(ctx)); err != nil {
			return err
		}
		return exec(ctx, conn, a.settled("COMMIT")...)
	})
	if err != nil {
		return nil, fmt.Errorf("make grants: %w", err)
	}
	return list, nil
}

// grant is the row of a grant that waits for its code, or whose refresh token has
// the hash.
func (a *App) grant(id xid.ID, hash [sha256.Size]byte, k apikey.Kind) []any {
	now, challenge := id.Time(), sha256.Sum256([]byte(Verifier))
	var used, refresh, ends any
	if k == apikey.Refresh {
		used, refresh, ends = int64(now), hash[:], int64(now.Add(30*24*time.Hour))
	}
	return []any{a.shop[:], id[:], 1, 0, int64(now), a.home[:], a.id[:], a.owner[:], "Ada Owner", scopes, Callback,
		base64.RawURLEncoding.EncodeToString(challenge[:]), int64(now.Add(24 * time.Hour)), used, refresh, ends,
		int64(now.Add(180 * 24 * time.Hour))}
}

// Remove takes away all apps with what was granted to them, so that the next run
// does not meet larger tables than this one did.
func (a *App) Remove(ctx context.Context) error {
	empty := "DELETE FROM "
	if a.store.Dialect() == dialect.MySQL {
		empty = "TRUNCATE TABLE "
	}
	list := []string{empty + "access_tokens", empty + "grants", empty + "apps", empty + "oauth_clients",
		"DELETE FROM credentials WHERE kind IN ('sfa_', 'sfc_', 'sfr_')"}
	err := a.store.Admin(ctx, func(conn *sql.Conn) error { return exec(ctx, conn, a.settled(list...)...) })
	if err != nil {
		return fmt.Errorf("remove the apps: %w", err)
	}
	return nil
}

// settled ends a list of statements so that SQLite's log is empty: else whoever
// writes next would copy it into the file.
func (a *App) settled(list ...string) []string {
	if a.store.Dialect() == dialect.SQLite {
		list = append(list, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return list
}
