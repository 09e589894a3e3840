package lease

import (
	"strconv"
	"time"

	"github.com/storefront-go/storefront/ent"
)

// Clock is the time by which leases end, an expression of SQL in microseconds
// since the Unix epoch.
type Clock string

// Now returns the clock of a database by its dialect; take it anew for each
// statement.
func Now(dialect string) Clock { return Clock(ent.Clock(dialect)) }

// In returns the expression of the time d later.
func (c Clock) In(d time.Duration) string {
	return string(c) + " + " + strconv.FormatInt(d.Microseconds(), 10)
}

// Claim returns what a claim sets in a row: the next token, its owner, which is
// the one argument, and what [Terms.Renewal] sets. Its condition is that
// lease_until has passed and that the token is the one that was seen.
func (t Terms) Claim(now Clock) string {
	return "lease_token = lease_token + 1, lease_owner = ?, " + t.Renewal(now)
}

// Renewal returns what a renewal sets: until when the row is taken. It is due then,
// so that somebody takes over what a killed process leaves.
func (t Terms) Renewal(now Clock) string {
	until := now.In(t.Length)
	return "lease_until = " + until + ", due_at = " + until
}

// Free is what giving a row back sets.
const Free = "lease_owner = NULL, lease_until = 0"
