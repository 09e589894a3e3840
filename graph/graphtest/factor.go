package graphtest

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/engine/factor"
	"github.com/storefront-go/storefront/graph/engine/factor/factortest"
)

// AddSession signs a person in and returns the hash of the session's token.
func AddSession(t testing.TB, r *graph.Resolver, person xid.ID) digest.Sum {
	t.Helper()
	sum, now := digest.Of([]byte(rand.Text())), micros.Now()
	inTx(t, t.Context(), r.Store, func(ctx context.Context) error {
		return r.Client(ctx).Session.Create().SetID(sum).SetUserID(person).SetAgent("Browser").SetCreatedAt(now).
			SetSeenAt(now).SetProvedAt(now).SetExpiresAt(now.Add(time.Hour)).Exec(ctx)
	})
	return sum
}

// ExpireProofs makes the proofs of identity of all sessions expire.
func ExpireProofs(t testing.TB, s *ent.Store) {
	t.Helper()
	sums := storetest.EachShard(t, s, func(ctx context.Context) ([]digest.Sum, error) {
		return s.Seek(ctx).Session.Query().IDs(ctx)
	})
	for _, sum := range sums {
		inTx(t, t.Context(), s, func(ctx context.Context) error {
			return s.DB(ctx).Session.Update().Where(session.ID(sum)).
				SetProvedAt(micros.Now().Add(-viewer.ProofLife)).Exec(ctx)
		})
	}
}

// AddFactor sets up an authenticator app for a person and returns its secret and the recovery
// codes. It ends the person's other sessions.
func AddFactor(t testing.TB, r *graph.Resolver, person xid.ID) (secret string, codes []string) {
	t.Helper()
	by := factor.By{Person: person, Session: AddSession(t, r, person)}
	up := Must[*factor.SetUp](t)(r.Factors.BeginTOTP(t.Context(), by))
	done := Must[*factor.Added](t)(r.Factors.ConfirmTOTP(t.Context(), by, up.Token, "Phone",
		factortest.Code(t, up.Secret, time.Now())))
	return up.Secret, done.Codes
}
