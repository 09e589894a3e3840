package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/graph/engine/reseal"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// diagnoseSealed counts the values that need an older root secret, and those whose secret is gone.
// Without a secret and the newest schema it reports nothing.
func diagnoseSealed(ctx context.Context, s *ent.Store, ring *keyring.Ring) []Finding {
	st, err := migrate.Check(ctx, s)
	if ring == nil || err != nil || len(st.Pending)+len(st.Unknown) > 0 {
		return nil
	}
	counts, err := reseal.Counts(ctx, s, ring)
	if err != nil {
		return []Finding{fail("sealed", firstLine(err), "run `storefront secret rotate`, or check the database's own log")}
	}
	return judgeSealed(counts, len(ring.KeyIDs()))
}

// judgeSealed says when older secrets can be removed. Signed values expire by themselves: theme
// previews after two days, downloads and consent pages after 15 minutes; a cursor that does not
// verify starts at the first page.
func judgeSealed(counts []reseal.Count, secrets int) (list []Finding) {
	var older, lost []string
	for _, c := range counts {
		if c.Older > 0 {
			older = append(older, fmt.Sprintf("%d %s", c.Older, c.Column))
		}
		if c.Lost > 0 {
			lost = append(lost, fmt.Sprintf("%d %s", c.Lost, c.Column))
		}
	}
	if len(lost) > 0 {
		list = append(list, warn("sealed", "the root secret is missing for "+strings.Join(lost, ", "),
			"put that secret back at the end of the list and run `storefront secret reseal`; without it, stores must rotate "+
				"and promote the secrets of their webhook endpoints, and people must set up their second factors again"))
	}
	switch {
	case len(older) > 0:
		return append(list, warn("sealed", "an older root secret is still needed by "+strings.Join(older, ", "),
			"run `storefront secret reseal` once every server and dispatcher has the first secret, and keep the others "+
				"until then"))
	case secrets > 1:
		return append(list, ok("sealed", "no data needs an older root secret; remove it two days after every server and "+
			"dispatcher has the first one, when the last preview link signed with it has expired"))
	case len(lost) > 0:
		return list
	}
	return append(list, ok("sealed", "everything can be decrypted with the root secret"))
}
