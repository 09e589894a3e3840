package lease

import (
	"strconv"
	"time"

	"github.com/storefront-go/storefront/ent"
)

// Clock is the clock of leases: an SQL expression in microseconds since the Unix epoch.
type Clock string

// Now returns the clock of a database by its dialect. Call it for each statement.
func Now(dialect string) Clock { return Clock(ent.Clock(dialect)) }

// In returns the expression for the time d later.
func (c Clock) In(d time.Duration) string {
	return string(c) + " + " + strconv.FormatInt(d.Microseconds(), 10)
}

// Claim returns the assignments of a claim: the next token, the owner, which is its one argument,
// and those of [Terms.Renewal]. The condition of the statement must be that lease_until has passed
// and that the token is the one that was read.
func (t Terms) Claim(now Clock) string {
	return "lease_token = lease_token + 1, lease_owner = ?, " + t.Renewal(now)
}

// Renewal returns the assignments of a renewal: the new end of the lease, at which the row also
// becomes due, so that another process takes over from a dead one.
func (t Terms) Renewal(now Clock) string {
	until := now.In(t.Length)
	return "lease_until = " + until + ", due_at = " + until
}

// Free is the assignments of a release.
const Free = "lease_owner = NULL, lease_until = 0"
