package session_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/session"
)

func put(t *testing.T, s *ent.Store, a session.AskChallenge) string {
	t.Helper()
	var token string
	err := s.InTx(t.Context(), func(ctx context.Context) (err error) {
		token, err = session.PutChallenge(ctx, s.DB(ctx), a)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func answer(t *testing.T, s *ent.Store, token string, purpose state.ChallengePurpose) (row *db.Challenge, err error) {
	t.Helper()
	err = s.InTx(t.Context(), func(ctx context.Context) error {
		row, err = session.AnswerChallenge(ctx, s.DB(ctx), token, purpose)
		return err
	})
	return row, err
}

// A token answers its own challenge, for its own purpose, once.
func TestAnswer(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		person := xid.New()
		token := put(t, s, session.AskChallenge{Person: person, Purpose: state.ChallengeReset, Email: "a@example.com",
			Data: []byte("x"), Life: time.Hour})
		for _, text := range []string{"", token[1:], strings.ToLower(token), token + "A", strings.Repeat("A", 52)} {
			if _, err := answer(t, s, text, state.ChallengeReset); !errors.Is(err, session.ErrUnknownChallenge) {
				t.Errorf("%q: %v", text, err)
			}
		}
		if _, err := answer(t, s, token, state.ChallengeVerify); !errors.Is(err, session.ErrUnknownChallenge) {
			t.Errorf("another purpose: %v", err)
		}
		row, err := answer(t, s, token, state.ChallengeReset)
		if err != nil || row.UserID != person || *row.Email != "a@example.com" || string(row.Data) != "x" {
			t.Fatalf("%+v, %v", row, err)
		}
		if _, err := answer(t, s, token, state.ChallengeReset); !errors.Is(err, session.ErrUnknownChallenge) {
			t.Errorf("twice: %v", err)
		}
	})
}

// Of many concurrent answers, one succeeds.
func TestAnswerRace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		token := put(t, s, session.AskChallenge{Purpose: state.ChallengePasskey, Life: time.Hour})
		var won atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, err := answer(t, s, token, state.ChallengePasskey); err == nil {
					won.Add(1)
				} else if !errors.Is(err, session.ErrUnknownChallenge) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d answered", won.Load())
		}
	})
}

// A challenge expires and is then purged. Dropping deletes the challenges of one person.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.Open(t)
		person := xid.New()
		ask := session.AskChallenge{Person: person, Purpose: state.ChallengeVerify, Life: time.Hour}
		over, dropped := put(t, s, ask), put(t, s, session.AskChallenge{
			Person: xid.New(), Purpose: state.ChallengeReset,
			Life: 3 * time.Hour})
		time.Sleep(time.Hour)
		if _, err := answer(t, s, over, ask.Purpose); !errors.Is(err, session.ErrUnknownChallenge) {
			t.Errorf("after its end: %v", err)
		}
		if n, err := session.PurgeChallenges(t.Context(), s); n != 1 || err != nil {
			t.Errorf("purged %d, %v", n, err)
		}
		mine := put(t, s, ask)
		err := s.InTx(t.Context(), func(ctx context.Context) error {
			return session.DropChallenge(ctx, s.DB(ctx), person, ask.Purpose)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := answer(t, s, mine, ask.Purpose); !errors.Is(err, session.ErrUnknownChallenge) {
			t.Errorf("dropped: %v", err)
		}
		if _, err := answer(t, s, dropped, state.ChallengeReset); err != nil {
			t.Errorf("another person's: %v", err)
		}
	})
}
