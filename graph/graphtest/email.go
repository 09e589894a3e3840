package graphtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/storetest"
)

// EmailBodies returns the bodies of the queued emails to an address, oldest first.
func EmailBodies(t testing.TB, s *ent.Store, to string) (bodies []string) {
	t.Helper()
	rows := storetest.EachShard(t, s, func(ctx context.Context) ([]*db.Mail, error) {
		return s.Seek(ctx).Mail.Query().Where(mail.BucketIn(bucket.All()...), mail.Recipient(to)).All(ctx)
	})
	slices.SortFunc(rows, func(a, b *db.Mail) int { return a.ID.Compare(b.ID) })
	for _, row := range rows {
		bodies = append(bodies, row.Body)
	}
	return bodies
}

// LinkToken returns the token of the first link to a path in an email.
func LinkToken(t testing.TB, text, path string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, path)
	if !found {
		t.Fatalf("no link to %s in %q", path, text)
	}
	token, _, _ := strings.Cut(rest, "\n")
	return token
}
