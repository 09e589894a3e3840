// Package idem stores idempotency keys (contract, section 3).
//
// One transaction holds the claim on a key, the rows that the request changes, their events and the
// stored answer. It commits as a whole or not at all, so a crash leaves no partial state to repair
// and no lease to expire: if a key exists, so does its answer.
package idem

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/idempotency"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/rule"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

const (
	// Retention is how long a key is kept from its first use (spec, section 8).
	Retention = 24 * time.Hour
	// wait bounds how long a request waits for its twin.
	wait = 5 * time.Second
	// maxRun is the longest run of a request whose claim commits first.
	maxRun = time.Minute
	// pollEvery is how often a twin in another process is polled for.
	pollEvery = 100 * time.Millisecond
)

// Claim is the idempotency key of a request. The key belongs to the viewer's store and principal.
type Claim struct {
	Key string
	// Fingerprint covers method, path and body. The same key with another fingerprint is refused.
	Fingerprint [sha256.Size]byte
	// CommitFirst says that the request writes rows of another owner than the viewer's store, in its own
	// transactions: see [Keeper.Run].
	CommitFirst bool
}

// Answer is an answer that is stored, and replayed byte for byte.
type Answer struct {
	Status      int
	ContentType string
	Location    string
	Body        []byte
	// Refused marks a lasting 4xx: the rows are rolled back, and only the answer is stored.
	Refused bool
}

// Keeper stores idempotency keys and their answers.
type Keeper struct {
	store    *ent.Store
	sealer   *keyring.Sealer
	gate     gate
	replayed atomic.Uint64
}

// New returns a keeper that encrypts stored answers with the ring.
func New(s *ent.Store, ring *keyring.Ring) *Keeper {
	return &Keeper{store: s, sealer: ring.Sealer(keyring.Encryption), gate: gate{running: map[xid.ID]chan struct{}{}}}
}

// Replayed returns how many answers were replayed.
func (k *Keeper) Replayed() uint64 { return k.replayed.Load() }

// CheckKey returns a fault if the Idempotency-Key header is missing or invalid.
func CheckKey(key string, present bool) error {
	if !present {
		return &fault.Error{Kind: fault.IdempotencyKeyRequired, Detail: "A write needs an Idempotency-Key header.",
			Fields: []fault.Field{{Header: "Idempotency-Key", Code: fault.Required,
				Detail: "This header is required."}}}
	}
	ok := len(key) >= 1 && len(key) <= limit.IdempotencyKey
	for i := range len(key) {
		ok = ok && key[i] > ' ' && key[i] < 0x7f
	}
	if !ok {
		return &fault.Error{Kind: fault.IdempotencyKeyInvalid,
			Detail: "An Idempotency-Key has 1 to 255 visible ASCII characters.",
			Fields: []fault.Field{{Header: "Idempotency-Key", Code: fault.InvalidFormat,
				Detail: "1 to 255 visible ASCII characters."}}}
	}
	return nil
}

type claim struct {
	Claim
	store xid.ID
	id    xid.ID // the first 16 bytes of hash
	hash  [sha256.Size]byte
}

var errTaken = errors.New("idempotency key is taken")

// errRunning means that a request whose claim committed first may still be running.
var errRunning = errors.New("idempotency key has no response yet")

// errRefused rolls back the request's rows and its claim.
var errRefused = errors.New("answer is a refusal")

// Run answers a request once. The first request with a key runs f inside THE transaction and has
// its answer stored; every later one gets that answer, and replayed is true. If f fails, nothing is
// stored and the key stays free. f may run more than once, each time from the start.
//
// With [Claim.CommitFirst], the claim commits before f runs outside of any transaction, and the answer
// is stored afterwards. The request is carried out at most once: if the process ends in between,
// the key has no answer, and once the request can no longer be running, the fault is
// IdempotencyAnswerGone.
//
// Run waits for a running twin; after a timeout the fault is IdempotencyInProgress. For a different
// fingerprint it is IdempotencyKeyReused.
func (k *Keeper) Run(
	ctx context.Context, c Claim, f func(ctx context.Context) (Answer, error),
) (a Answer, replayed bool, err error) {
	cl := newClaim(viewer.From(ctx), c)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		leave, twin := k.gate.enter(cl.id)
		if leave == nil {
			select {
			case <-twin:
			case <-timer.C:
				return Answer{}, false, inProgress(nil)
			case <-ctx.Done():
				return Answer{}, false, ctx.Err()
			}
		} else {
			run := k.first
			if c.CommitFirst {
				run = k.commitFirst
			}
			a, err = run(ctx, cl, leave, f)
			if !errors.Is(err, errTaken) {
				return a, false, err
			}
		}
		switch a, found, err := k.stored(ctx, cl); {
		case errors.Is(err, errRunning):
			if !pause(ctx, timer) {
				return Answer{}, false, inProgress(err)
			}
		case err != nil:
			return Answer{}, false, err
		case found:
			k.replayed.Add(1)
			return a, true, nil
		}
	}
}

// pause waits for [pollEvery]. It returns false if the timer fires or ctx ends first.
func pause(ctx context.Context, timer *time.Timer) bool {
	select {
	case <-time.After(pollEvery):
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// newClaim derives the row's key: SHA-256(principal, 0, key). The store is part of the primary key.
func newClaim(v *viewer.Viewer, c Claim) *claim {
	h := sha256.New()
	h.Write(v.Principal[:])
	h.Write([]byte{0})
	h.Write([]byte(c.Key))
	cl := &claim{Claim: c, store: v.Store}
	h.Sum(cl.hash[:0])
	cl.id = xid.ID(cl.hash[:16])
	return cl
}

// first tries to be the first request with the key. It leaves the gate even if f panics.
func (k *Keeper) first(
	ctx context.Context, cl *claim, leave func(), f func(context.Context) (Answer, error),
) (a Answer, err error) {
	defer leave()
	about := new(subject)
	err = k.store.InTxKeyed(ctx, func(ctx context.Context) (err error) {
		if err := k.insert(ctx, cl, row{}); err != nil {
			return err
		}
		if a, err = f(about.with(ctx)); err != nil {
			return err
		}
		if a.Refused {
			return cmp.Or(k.store.Broken(ctx), errRefused) // a refusal based on a lost transaction is evaluated again
		}
		return k.save(ctx, cl, k.answered(cl, a, about))
	})
	if errors.Is(err, errRefused) {
		// The request's rows were rolled back with its claim. A savepoint after the claim would avoid
		// this, but would cost every other request a statement, and SQLite a copy of each changed page.
		err = k.store.InTxKeyed(ctx, func(ctx context.Context) error {
			return k.insert(ctx, cl, k.answered(cl, a, about))
		})
	}
	return a, err
}

func (k *Keeper) commitFirst(
	ctx context.Context, cl *claim, leave func(), f func(context.Context) (Answer, error),
) (a Answer, err error) {
	defer leave()
	if err := k.store.InTx(ctx, func(ctx context.Context) error { return k.insert(ctx, cl, row{}) }); err != nil {
		return Answer{}, err
	}
	a, failed := f(ctx)
	if errors.Is(failed, ent.ErrUncertain) { // it may have been carried out: the claim stays
		return a, failed
	}
	err = k.store.InTx(context.WithoutCancel(ctx), func(ctx context.Context) error {
		if failed == nil {
			return k.save(ctx, cl, k.answered(cl, a, new(subject)))
		}
		_, err := k.store.DB(ctx).Idempotency.Delete().Where(idempotency.ID(cl.id)).Exec(ctx)
		return err
	})
	return a, cmp.Or(failed, err)
}

type row struct {
	status int
	answer any // sealed; nil before
	about  *xid.ID
}

func (k *Keeper) answered(cl *claim, a Answer, about *subject) row {
	return row{a.Status, k.sealer.Seal(encode(a), cl.aad()), about.id}
}

// Written out: a statement builder costs more time than the database takes to run them.
const (
	insertKey = "INSERT INTO idempotency_keys " +
		"(store_id, id, key_hash, fingerprint, created_at, status, answer, about_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
	saveAnswer = "UPDATE idempotency_keys SET status = ?, answer = ?, about_id = ? WHERE store_id = ? AND id = ?"
)

// insert writes the claim. A timeout while waiting for the row's lock means that a twin is running;
// waiting again would only hold the connection.
func (k *Keeper) insert(ctx context.Context, cl *claim, r row) error {
	err := k.exec(ctx, cl, insertKey, cl.store, cl.id, cl.hash[:], cl.Fingerprint[:], micros.Now(), r.status, r.answer,
		r.about)
	switch {
	case err == nil:
		return nil
	case ent.IsDuplicate(err):
		return errTaken
	case ent.IsLockTimeout(err):
		return ent.Final(inProgress(err))
	}
	return fmt.Errorf("claim idempotency key: %w", err)
}

func (k *Keeper) save(ctx context.Context, cl *claim, r row) error {
	if answer, _ := r.answer.([]byte); len(answer) <= ent.MaxLater {
		ctx = ent.Later(ctx)
	}
	return fault.Wrap("store answer", k.exec(ctx, cl, saveAnswer, r.status, r.answer, r.about, cl.store, cl.id))
}

// exec runs a statement on the row of a claim of the viewer's store.
func (k *Keeper) exec(ctx context.Context, cl *claim, statement string, args ...any) error {
	store, err := rule.Stamp(ctx)
	if err == nil && store != cl.store {
		err = fmt.Errorf("%w: a key of another store", rule.ErrDenied)
	}
	if err != nil {
		return err
	}
	_, err = k.store.DB(ctx).ExecContext(ctx, statement, args...)
	return err
}

// stored reads the answer of a taken key. Found is false if the key is free by now.
func (k *Keeper) stored(ctx context.Context, cl *claim) (a Answer, found bool, err error) {
	row, err := k.store.DB(ctx).Idempotency.Query().Where(idempotency.ID(cl.id)).Only(ctx)
	switch {
	case db.IsNotFound(err):
		return Answer{}, false, nil
	case err != nil:
		return Answer{}, false, fmt.Errorf("read stored answer: %w", err)
	case row.CreatedAt.Add(Retention) <= micros.Now():
		return Answer{}, false, k.expire(ctx, row)
	case [sha256.Size]byte(row.Fingerprint) != cl.Fingerprint:
		return Answer{}, false, fault.New(fault.IdempotencyKeyReused,
			"This Idempotency-Key was used for a request with another body, path or method.")
	case row.Status == 0 && row.CreatedAt.Add(maxRun) > micros.Now():
		return Answer{}, false, errRunning
	case row.Status == 0:
		return Answer{}, false, &fault.Error{Kind: fault.IdempotencyAnswerGone,
			Detail: "The request with this Idempotency-Key ended without a response and may have been executed. It " +
				"is not executed again. Read the current state."}
	}
	plain, err := k.sealer.Open(row.Answer, cl.aad())
	if err != nil {
		return Answer{}, false, answerGone(err)
	}
	a, err = decode(row.Status, plain)
	return a, err == nil, err
}

// expire deletes an expired row. The time in the condition protects a new claim on the key.
func (k *Keeper) expire(ctx context.Context, row *db.Idempotency) error {
	return k.store.InTx(ctx, func(ctx context.Context) error {
		_, err := k.store.DB(ctx).Idempotency.Delete().
			Where(idempotency.ID(row.ID), idempotency.CreatedAt(row.CreatedAt)).Exec(ctx)
		return fault.Wrap("expire idempotency key", err)
	})
}

// aad returns the additional data that binds a sealed answer to its row.
func (cl *claim) aad() []byte { return append(append([]byte{}, cl.store[:]...), cl.hash[:]...) }

func answerGone(cause error) error {
	return &fault.Error{Kind: fault.IdempotencyAnswerGone, Err: cause,
		Detail: "The request with this Idempotency-Key was executed and is not executed again. Its response is no " +
			"longer stored. Read the current state."}
}

func inProgress(cause error) error {
	return &fault.Error{Kind: fault.IdempotencyInProgress, RetryAfter: time.Second, Err: cause,
		Detail: "A request with this Idempotency-Key is still running."}
}
