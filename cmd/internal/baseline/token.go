package baseline

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// Exchange is where codes are exchanged and tokens refreshed, as in the service.
const Exchange = "/api/public/oauth/token"

// Lives of what is issued, as in the service.
const (
	accessLife  = time.Hour
	refreshLife = 30 * 24 * time.Hour
)

// answerLen is how long the service's sealed answer to a refresh is, where the app has the
// scopes of the corpus.
const answerLen = 282

// grantRow is what is read of a grant, in the order of the statement.
type grantRow struct {
	id, storeID         xid.ID
	version, sequence   int64
	updatedAt           int64
	appStore, app, user xid.ID
	userName, scopes    string
	redirect, challenge string
	codeExpires         int64
	codeUsed            sql.NullInt64
	refreshHash         []byte
	refreshExpires      sql.NullInt64
	expires             int64
	revokedAt           sql.NullInt64
	answer, answerToken []byte
	resource            sql.NullString
}

func (g *grantRow) fields() []any {
	return []any{&g.storeID, &g.id, &g.version, &g.sequence, &g.updatedAt, &g.appStore, &g.app, &g.user, &g.userName,
		&g.scopes, &g.redirect, &g.challenge, &g.codeExpires, &g.codeUsed, &g.refreshHash,
		&g.refreshExpires, &g.expires, &g.revokedAt, &g.answer, &g.answerToken, &g.resource}
}

// appRow is what is read of an app, in the order of the statement.
type appRow struct {
	id, storeID             xid.ID
	client, name, developer string
	website                 sql.NullString
	redirects, scopes       string
	disabledAt              sql.NullInt64
	metadataURL             sql.NullString
}

func (a *appRow) fields() []any {
	return []any{
		&a.storeID, &a.id, &a.client, &a.name, &a.developer, &a.website, &a.redirects, &a.scopes, &a.disabledAt,
		&a.metadataURL,
	}
}

// redemption is one request to the token endpoint on its way.
type redemption struct {
	form  url.Values
	kind  apikey.Kind // Code or Refresh
	sum   [sha256.Size]byte
	grant grantRow
	app   appRow
	now   micros.Time

	access, refresh apikey.Secret
	ends            micros.Time
}

// errRefused is all that a wrong request hears.
var errRefused = errors.New("invalid_grant")

// token answers POST /api/public/oauth/token: an exchange or a refresh, without a
// scope parameter.
func (h *handler) token(rw http.ResponseWriter, r *http.Request) {
	err := h.redeem(rw, r)
	switch {
	case errors.Is(err, errRefused), errors.Is(err, sql.ErrNoRows):
		http.Error(rw, err.Error(), http.StatusBadRequest)
	case err != nil:
		http.Error(rw, err.Error(), http.StatusInternalServerError)
	}
}

func (h *handler) redeem(rw http.ResponseWriter, r *http.Request) error {
	t, err := readRedemption(r)
	if err != nil {
		return err
	}
	row := h.Store.Raw().QueryRowContext(r.Context(), findGrant, t.sum[:], string(t.kind))
	if err := row.Scan(t.grant.fields()...); err != nil {
		return err
	}
	row = h.Store.Raw().QueryRowContext(r.Context(), findClient, t.form.Get("client_id"))
	if err := row.Scan(t.app.fields()...); err != nil {
		return err
	}
	if !t.good() {
		return errRefused
	}
	t.access, t.refresh = apikey.Mint(apikey.Access), apikey.Mint(apikey.Refresh)
	t.ends = min(t.now.Add(accessLife), micros.Time(t.grant.expires))
	if err := h.issue(r.Context(), t); err != nil {
		return err
	}
	b := h.buffer()
	*b = t.appendAnswer(*b)
	return h.send(rw, http.StatusOK, b)
}

func readRedemption(r *http.Request) (*redemption, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if err != nil {
		return nil, err
	}
	t := &redemption{kind: apikey.Code, now: micros.Now()}
	if t.form, err = url.ParseQuery(string(body)); err != nil {
		return nil, err
	}
	shown := t.form.Get("code")
	if t.form.Get("grant_type") == "refresh_token" {
		t.kind, shown = apikey.Refresh, t.form.Get("refresh_token")
	}
	secret, kind, ok := apikey.Parse(shown)
	if !ok || kind != t.kind {
		return nil, errRefused
	}
	t.sum = secret.Hash()
	return t, nil
}

// good reports whether the grant passes the checks of the service. It does not revoke
// the grant after a second use.
func (t *redemption) good() bool {
	g := &t.grant
	if t.app.disabledAt.Valid || g.app != t.app.id || g.revokedAt.Valid {
		return false
	}
	if t.kind == apikey.Refresh {
		return string(g.refreshHash) == string(t.sum[:]) && g.expires > int64(t.now) &&
			g.refreshExpires.Int64 > int64(t.now)
	}
	verifier := sha256.Sum256([]byte(t.form.Get("code_verifier")))
	return !g.codeUsed.Valid && g.codeExpires > int64(t.now) && g.redirect == t.form.Get("redirect_uri") &&
		subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(verifier[:])), []byte(g.challenge)) == 1
}

// issue runs the service's statements in one transaction: the directory's rows,
// the step of the grant, the access token.
func (h *handler) issue(ctx context.Context, t *redemption) error {
	g, id := &t.grant, xid.New()
	access, refresh := t.access.Hash(), t.refresh.Hash()
	tx, err := h.Store.RawTx(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	_, err = tx.ExecContext(ctx, insertDirect, access[:], g.storeID[:], id[:], string(apikey.Access),
		refresh[:], g.storeID[:], g.id[:], string(apikey.Refresh))
	if err != nil {
		return err
	}
	text, args := takeCode, []any{int64(t.now), refresh[:], int64(t.now.Add(refreshLife)), g.id[:], g.storeID[:]}
	if t.kind == apikey.Refresh {
		text, args = rotate, []any{refresh[:], int64(t.now.Add(refreshLife)), keptAnswer(), id[:], g.id[:], t.sum[:],
			g.storeID[:]}
	}
	result, err := tx.ExecContext(ctx, text, args...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return errors.Join(errRefused, err)
	}
	if _, err := tx.ExecContext(ctx, insertAccess, g.storeID[:], g.id[:], apikey.Hint(t.access), int64(t.ends),
		id[:]); err != nil {
		return err
	}
	return tx.Commit()
}

// keptAnswer stands for the sealed answer that the service keeps of a refresh. It cannot be
// opened, so the service does not give it again.
func keptAnswer() []byte {
	b := make([]byte, answerLen)
	rand.Read(b) // never fails
	return b
}

// appendAnswer writes the answer of RFC 6749, section 5.1.
func (t *redemption) appendAnswer(b []byte) []byte {
	b = appendPlain(append(b, `{"access_token":`...), t.access.Reveal())
	b = appendInt(append(b, `,"token_type":"Bearer","expires_in":`...), int64(t.ends.Sub(t.now)/time.Second))
	b = appendPlain(append(b, `,"refresh_token":`...), t.refresh.Reveal())
	left := scope.Parse(t.grant.scopes).Effective() & scope.Parse(t.app.scopes).Effective()
	b = appendPlain(append(b, `,"scope":`...), left.String())
	b = appendID(append(b, `,"store_id":`...), xid.Store, t.grant.storeID[:])
	return append(b, '}')
}
