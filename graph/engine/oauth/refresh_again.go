package oauth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/graph/engine/apikey"
)

// AnswerLife is how long the answer to a refresh is repeated for the rotated token, while no token
// of the answer was used (contract, section 7).
const AnswerLife = 30 * time.Second

// answer is kept for a second worker that refreshes at once, and for one that lost the answer.
type answer struct {
	From      []byte // the hash of the rotated refresh token
	Access    string
	Refresh   string
	ExpiresIn time.Duration
	Scopes    string
}

func (s *Server) sealAnswer(g *db.Grant, from digest.Sum, t *Token) ([]byte, error) {
	plain, err := json.Marshal(answer{from[:], t.Access.Reveal(), t.Refresh.Reveal(), t.ExpiresIn, t.Scopes.String()})
	if err != nil {
		return nil, fmt.Errorf("write the answer to a refresh: %w", err)
	}
	return s.answers.Seal(plain, g.ID[:]), nil
}

// keptAnswer returns the kept answer for a rotated refresh token, or nil. There is none once a
// token of the answer was used: [apikey.Keeper] clears it at the first use of the access token, and
// a use of the refresh token replaces it. If the answer's refresh token is not the current one, a
// previous release has refreshed the grant since, and the answer is ignored.
func (s *Server) keptAnswer(g *db.Grant, from digest.Sum) (*Token, error) {
	if g.Answer == nil || g.AnswerToken == nil || g.RefreshHash == nil ||
		g.AnswerToken.Time().Add(AnswerLife) <= micros.Now() {
		return nil, nil
	}
	plain, err := s.answers.Open(g.Answer, g.ID[:])
	if err != nil {
		return nil, fmt.Errorf("open the answer to a refresh: %w", err)
	}
	var a answer
	if err := json.Unmarshal(plain, &a); err != nil {
		return nil, fmt.Errorf("read the answer to a refresh: %w", err)
	}
	t := &Token{Access: apikey.Secret(a.Access), Refresh: apikey.Secret(a.Refresh), ExpiresIn: a.ExpiresIn,
		Scopes: scope.Parse(a.Scopes), Store: g.StoreID}
	if !bytes.Equal(a.From, from[:]) || digest.Sum(t.Refresh.Hash()) != *g.RefreshHash {
		return nil, nil
	}
	return t, nil
}
