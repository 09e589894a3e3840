package oauth

import (
	"context"
	"time"

	"github.com/storefront-go/storefront/ent"
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

// Purge deletes rows that no request can use any more, to free space, and returns their number.
func (s *Server) Purge(ctx context.Context) (int, error) {
	return s.Store.SumStores(ctx, func(ctx context.Context) (total int, err error) {
		for _, step := range []func(context.Context, micros.Time) (int, error){
			s.purgeTickets, s.purgeTokens, s.purgeUnused, s.purgeDead, s.purgeAnswers,
		} {
			n, err := step(ctx, micros.Now())
			if total += n; err != nil {
				return total, err
			}
		}
		return total, nil
	})
}

func (s *Server) purgeTickets(ctx context.Context, now micros.Time) (int, error) {
	return ent.Purge(ctx, s.Store, "grants", func(ctx context.Context) ([]xid.ID, error) {
		return s.Store.DB(ctx).ConsentTicket.Query().Where(consentticket.IDLT(xid.First(now.Add(-2 * TicketLife)))).
			Order(db.Asc(consentticket.FieldID)).Limit(ent.PurgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) (int, error) {
		return c.ConsentTicket.Delete().Where(consentticket.IDIn(ids...)).Exec(ctx)
	})
}

func (s *Server) purgeTokens(ctx context.Context, now micros.Time) (int, error) {
	return ent.Purge(ctx, s.Store, "grants", func(ctx context.Context) ([]xid.ID, error) {
		return s.Store.DB(ctx).AccessToken.Query().Where(accesstoken.IDLT(xid.First(now.Add(-AccessLife - keepToken)))).
			Order(db.Asc(accesstoken.FieldID)).Limit(ent.PurgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) (int, error) {
		if err := forget(ctx, c, ids); err != nil {
			return 0, err
		}
		return c.AccessToken.Delete().Where(accesstoken.IDIn(ids...)).Exec(ctx)
	})
}

func (s *Server) purgeUnused(ctx context.Context, now micros.Time) (int, error) {
	old := grant.IDLT(xid.First(now.Add(-keepUnused)))
	return ent.Purge(ctx, s.Store, "grants", func(ctx context.Context) ([]xid.ID, error) {
		return s.Store.DB(ctx).Grant.Query().Where(old, grant.CodeUsedAtIsNil(), grant.RevokedAtIsNil()).
			Order(db.Asc(grant.FieldID)).Limit(ent.PurgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) (int, error) {
		if err := forget(ctx, c, ids); err != nil {
			return 0, err
		}
		return c.Grant.Delete().Where(grant.IDIn(ids...), grant.CodeUsedAtIsNil(), grant.RevokedAtIsNil()).Exec(ctx)
	})
}

// purgeDead deletes the secrets of families that ended long ago. It also clears the hash of the
// current refresh token in the row, which marks the row as done.
func (s *Server) purgeDead(ctx context.Context, now micros.Time) (int, error) {
	before := now.Add(-keepDead)
	return ent.Purge(ctx, s.Store, "grants", func(ctx context.Context) ([]xid.ID, error) {
		return s.Store.DB(ctx).Grant.Query().
			Where(grant.RefreshHashNotNil(), grant.Or(grant.RevokedAtLT(before), grant.ExpiresAtLT(before))).
			Order(db.Asc(grant.FieldID)).Limit(ent.PurgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) (int, error) {
		if err := forget(ctx, c, ids); err != nil {
			return 0, err
		}
		return c.Grant.Update().Where(grant.IDIn(ids...)).ClearRefreshHash().Save(ctx)
	})
}

func (s *Server) purgeAnswers(ctx context.Context, now micros.Time) (int, error) {
	old := grant.And(grant.AnswerNotNil(), grant.AnswerTokenLT(xid.First(now.Add(-AnswerLife))))
	return ent.Purge(ctx, s.Store, "grants", func(ctx context.Context) ([]xid.ID, error) {
		return s.Store.DB(ctx).Grant.Query().Where(old).Order(db.Asc(grant.FieldID)).Limit(ent.PurgeBatch).IDs(ctx)
	}, func(ctx context.Context, c *db.Client, ids []xid.ID) (int, error) {
		return c.Grant.Update().Where(grant.IDIn(ids...), old).ClearAnswer().Save(ctx)
	})
}

func forget(ctx context.Context, c *db.Client, ids []xid.ID) error {
	_, err := c.Credential.Delete().
		Where(credential.StoreID(viewer.From(ctx).Store), credential.CredentialIDIn(ids...)).Exec(ctx)
	return err
}
