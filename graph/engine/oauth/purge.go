package oauth

import (
	"context"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/accesstoken"
	"github.com/storefront-go/storefront/ent/db/consentticket"
	"github.com/storefront-go/storefront/ent/db/credential"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

// How long ended grants and tokens are kept.
const (
	// keepDead applies to families: until then a stolen code or refresh token that is presented
	// late is recognized. Grants themselves are kept for the store's people.
	keepDead = 30 * 24 * time.Hour
	// keepToken applies to access tokens, after they expire.
	keepToken = time.Hour
	// keepUnused applies to grants whose code was not redeemed.
	keepUnused = 24 * time.Hour
)

// purgeBatch bounds the rows of one transaction.
const purgeBatch = 90

// Purge deletes rows that no request can use any more and returns their number. It only frees
// space.
func (s *Server) Purge(ctx context.Context) (total int, err error) {
	return s.Store.SumStores(ctx, func(ctx context.Context) (total int, err error) {
		for _, step := range []func(context.Context, micros.Time) (int, error){
			s.purgeTickets, s.purgeTokens, s.purgeUnused, s.purgeDead, s.purgeAnswers,
		} {
			for n := purgeBatch; n == purgeBatch; total += n {
				if n, err = step(ctx, micros.Now()); err != nil {
					return total, fmt.Errorf("purge grants: %w", err)
				}
			}
		}
		return total, nil
	})
}

// batch reads ids and deletes their rows in one transaction.
func (s *Server) batch(
	ctx context.Context, read func(context.Context, *db.Client) ([]xid.ID, error),
	drop func(context.Context, *db.Client, []xid.ID) error,
) (n int, err error) {
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		c := s.Store.DB(ctx)
		ids, err := read(ctx, c)
		if n = len(ids); err != nil || n == 0 {
			return err
		}
		return drop(ctx, c, ids)
	})
	return n, err
}

func (s *Server) purgeTickets(ctx context.Context, now micros.Time) (int, error) {
	return s.batch(ctx, func(ctx context.Context, c *db.Client) ([]xid.ID, error) {
		return c.ConsentTicket.Query().Where(consentticket.IDLT(xid.First(now.Add(-2 * TicketLife)))).
			Order(db.Asc(consentticket.FieldID)).Limit(purgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) error {
		_, err := c.ConsentTicket.Delete().Where(consentticket.IDIn(ids...)).Exec(ctx)
		return err
	})
}

func (s *Server) purgeTokens(ctx context.Context, now micros.Time) (int, error) {
	return s.batch(ctx, func(ctx context.Context, c *db.Client) ([]xid.ID, error) {
		return c.AccessToken.Query().Where(accesstoken.IDLT(xid.First(now.Add(-AccessLife - keepToken)))).
			Order(db.Asc(accesstoken.FieldID)).Limit(purgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) error {
		if err := forget(ctx, c, ids); err != nil {
			return err
		}
		_, err := c.AccessToken.Delete().Where(accesstoken.IDIn(ids...)).Exec(ctx)
		return err
	})
}

func (s *Server) purgeUnused(ctx context.Context, now micros.Time) (int, error) {
	old := grant.IDLT(xid.First(now.Add(-keepUnused)))
	return s.batch(ctx, func(ctx context.Context, c *db.Client) ([]xid.ID, error) {
		return c.Grant.Query().Where(old, grant.CodeUsedAtIsNil(), grant.RevokedAtIsNil()).
			Order(db.Asc(grant.FieldID)).Limit(purgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) error {
		if err := forget(ctx, c, ids); err != nil {
			return err
		}
		_, err := c.Grant.Delete().Where(grant.IDIn(ids...), grant.CodeUsedAtIsNil(), grant.RevokedAtIsNil()).Exec(ctx)
		return err
	})
}

// purgeDead deletes the secrets of families that ended long ago. It also clears the hash of the
// current refresh token in the row, which marks the row as done.
func (s *Server) purgeDead(ctx context.Context, now micros.Time) (int, error) {
	before := now.Add(-keepDead)
	return s.batch(ctx, func(ctx context.Context, c *db.Client) ([]xid.ID, error) {
		return c.Grant.Query().
			Where(grant.RefreshHashNotNil(), grant.Or(grant.RevokedAtLT(before), grant.ExpiresAtLT(before))).
			Order(db.Asc(grant.FieldID)).Limit(purgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) error {
		if err := forget(ctx, c, ids); err != nil {
			return err
		}
		return c.Grant.Update().Where(grant.IDIn(ids...)).ClearRefreshHash().Exec(ctx)
	})
}

// purgeAnswers deletes the kept refresh answers that are too old to be repeated.
func (s *Server) purgeAnswers(ctx context.Context, now micros.Time) (int, error) {
	old := grant.And(grant.AnswerNotNil(), grant.AnswerTokenLT(xid.First(now.Add(-AnswerLife))))
	return s.batch(ctx, func(ctx context.Context, c *db.Client) ([]xid.ID, error) {
		return c.Grant.Query().Where(old).Order(db.Asc(grant.FieldID)).Limit(purgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) error {
		return c.Grant.Update().Where(grant.IDIn(ids...), old).ClearAnswer().Exec(ctx)
	})
}

// forget deletes the directory entries of rows.
func forget(ctx context.Context, c *db.Client, ids []xid.ID) error {
	_, err := c.Credential.Delete().
		Where(credential.StoreID(viewer.From(ctx).Store), credential.CredentialIDIn(ids...)).Exec(ctx)
	return err
}
