package reseal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/idempotency"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/reseal"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// secrets are root secrets with distinct bytes.
var secrets = []string{strings.Repeat("a", 32), strings.Repeat("b", 32), strings.Repeat("c", 32)}

func ring(t testing.TB, list ...string) *keyring.Ring {
	t.Helper()
	r, err := keyring.Parse(strings.Join(list, ","))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// vault collects sealed values, to be opened again.
type vault struct {
	t     *testing.T
	s     *ent.Store
	ctx   context.Context
	store xid.ID
}

func open(t *testing.T, s *ent.Store) *vault {
	t.Helper()
	ctx, store := storetest.Merchant(t, s)
	return &vault{t, s, ctx, store.ID}
}

func (v *vault) write(f func(ctx context.Context, c *db.Client) error) {
	v.t.Helper()
	if err := v.s.InTx(v.ctx, func(ctx context.Context) error { return f(ctx, v.s.DB(ctx)) }); err != nil {
		v.t.Fatal(err)
	}
}

// endpoint stores two signing secrets.
func (v *vault) endpoint(r *keyring.Ring) (id xid.ID) {
	v.t.Helper()
	id = xid.New()
	sealer := r.Sealer("webhook secrets")
	v.write(func(ctx context.Context, c *db.Client) error {
		return c.WebhookEndpoint.Create().SetID(id).SetURL("https://x.example").SetEvents("order.paid").
			SetStatus(state.EndpointActive).SetSecret(sealer.Seal([]byte("first"), id[:])).SetSecretHint("irst").
			SetNextSecret(sealer.Seal([]byte("second"), id[:])).SetHeaders(sealer.Seal([]byte("headers"), id[:])).
			SetUpdatedAt(1).Exec(ctx)
	})
	return id
}

// answer stores an answer.
func (v *vault) answer(r *keyring.Ring, n int) {
	v.t.Helper()
	hash := bytes.Repeat([]byte{byte(n + 1)}, 32)
	v.write(func(ctx context.Context, c *db.Client) error {
		return c.Idempotency.Create().SetID(xid.ID(hash[:16])).SetKeyHash(hash).SetFingerprint(hash).
			SetCreatedAt(micros.Now()).SetStatus(201).
			SetAnswer(r.Sealer(keyring.Encryption).Seal(fmt.Append(nil, "answer ", n), append(v.store[:], hash...))).
			Exec(ctx)
	})
}

// account stores the secrets of an account with a payment provider.
func (v *vault) account(r *keyring.Ring) {
	v.t.Helper()
	id, sealer := xid.New(), r.Sealer("payment secrets")
	v.write(func(ctx context.Context, c *db.Client) error {
		return c.PaymentAccount.Create().SetID(id).SetProvider(state.PaymentStripe).SetLive(true).SetUpdatedAt(1).
			SetSecret(sealer.Seal([]byte("key"), id[:])).SetSecretHint("key").
			SetSigning(sealer.Seal([]byte("signing"), id[:])).SetSigningHint("ning").Exec(ctx)
	})
}

// refreshed stores the answer to a refresh.
func (v *vault) refreshed(r *keyring.Ring) {
	v.t.Helper()
	id := xid.New()
	v.write(func(ctx context.Context, c *db.Client) error {
		return c.Grant.Create().SetID(id).SetAppStoreID(v.store).SetAppID(xid.New()).SetUserID(xid.New()).
			SetUserName("Ada").SetScopes("orders.read").SetRedirectURI("https://x.example").SetCodeChallenge("x").
			SetCodeExpiresAt(1).SetExpiresAt(1).SetUpdatedAt(1).
			SetAnswer(r.Sealer("refresh answers").Seal([]byte("tokens"), id[:])).Exec(ctx)
	})
}

// certificate stores the certificate of a domain.
func (v *vault) certificate(r *keyring.Ring) {
	v.t.Helper()
	id := xid.New()
	v.write(func(ctx context.Context, c *db.Client) error {
		return c.Domain.Create().SetID(id).SetBucket(0).SetHost("www.example.com").SetToken("x").SetDueAt(1).
			SetCertificate(r.Sealer("certificates").Seal([]byte("certificate"), id[:])).Exec(ctx)
	})
}

// sender stores the key of an email sender.
func (v *vault) sender(r *keyring.Ring) {
	v.t.Helper()
	id := xid.New()
	v.write(func(ctx context.Context, c *db.Client) error {
		return c.MailSender.Create().SetID(id).SetBucket(0).SetLocal("shop").SetHost("example.com").SetSelector("x").
			SetPublicKey("x").SetDueAt(1).SetPrivateKey(r.Sealer("email senders").Seal([]byte("key"), id[:])).Exec(ctx)
	})
}

// factor stores a factor of a person.
func (v *vault) factor(r *keyring.Ring) {
	v.t.Helper()
	person, id := xid.New(), xid.New()
	v.write(func(ctx context.Context, c *db.Client) error {
		return c.Factor.Create().SetUserID(person).SetID(id).SetKind(state.FactorTOTP).SetName("Phone").
			SetData(r.Sealer("factors").Seal([]byte("factor"), append(person[:], id[:]...))).Exec(ctx)
	})
}

// opens counts the values that open with a ring.
func (v *vault) opens(r *keyring.Ring) (n int) {
	v.t.Helper()
	try := func(purpose, plain string, sealed, aad []byte) {
		if got, err := r.Sealer(purpose).Open(sealed, aad); err == nil && strings.HasPrefix(string(got), plain) {
			n++
		}
	}
	c := v.s.DB(v.ctx)
	for _, e := range c.WebhookEndpoint.Query().AllX(v.ctx) {
		try("webhook secrets", "first", e.Secret, e.ID[:])
		try("webhook secrets", "second", e.NextSecret, e.ID[:])
		try("webhook secrets", "headers", e.Headers, e.ID[:])
	}
	for _, k := range c.Idempotency.Query().Where(idempotency.AnswerNotNil()).AllX(v.ctx) {
		try(keyring.Encryption, "answer", k.Answer, append(v.store[:], k.KeyHash...))
	}
	for _, p := range c.PaymentAccount.Query().AllX(v.ctx) {
		try("payment secrets", "key", p.Secret, p.ID[:])
		try("payment secrets", "signing", p.Signing, p.ID[:])
	}
	for _, g := range c.Grant.Query().Where(grant.AnswerNotNil()).AllX(v.ctx) {
		try("refresh answers", "tokens", g.Answer, g.ID[:])
	}
	for _, d := range c.Domain.Query().AllX(v.ctx) {
		try("certificates", "certificate", d.Certificate, d.ID[:])
	}
	for _, m := range c.MailSender.Query().AllX(v.ctx) {
		try("email senders", "key", m.PrivateKey, m.ID[:])
	}
	people, all := storetest.AllStores(v.t, v.s)
	for _, f := range people.Factor.Query().AllX(all) {
		try("factors", "factor", f.Data, append(f.UserID[:], f.ID[:]...))
	}
	return n
}

func (v *vault) run(r *keyring.Ring) (resealed int) {
	v.t.Helper()
	list, err := reseal.Run(v.t.Context(), v.s, r, func(reseal.Done) {})
	if err != nil {
		v.t.Fatal(err)
	}
	for _, d := range list {
		resealed += d.Resealed
	}
	return resealed
}

// Afterwards every value of an older secret opens with the first alone.
func TestRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		open(t, s) // a store without anything
		v := open(t, s)
		old, both, fresh := ring(t, secrets[0]), ring(t, secrets[1], secrets[0]), ring(t, secrets[1])
		v.endpoint(old)
		v.endpoint(both)
		v.account(old)
		v.refreshed(old)
		v.certificate(old)
		v.sender(old)
		for n := range 50 {
			v.answer(old, n)
		}
		v.write(func(ctx context.Context, c *db.Client) error { // erased
			return c.Idempotency.Create().SetID(xid.New()).SetKeyHash(make([]byte, 32)).
				SetFingerprint(make([]byte, 32)).SetCreatedAt(micros.Now()).SetStatus(200).Exec(ctx)
		})
		for range 25 {
			v.factor(old)
		}
		v.factor(ring(t, secrets[2])) // whose secret is gone
		want := []reseal.Count{{Column: "webhook secrets", Older: 1}, {Column: "second webhook secrets", Older: 1},
			{Column: "webhook headers", Older: 1},
			{Column: "kept answers", Older: 50}, {Column: "payment keys", Older: 1},
			{Column: "signing secrets of payments", Older: 1}, {Column: "answers to refreshes", Older: 1},
			{Column: "certificates of domains", Older: 1},
			{Column: "keys of email senders", Older: 1}, {Column: "second factors", Older: 25, Lost: 1}}
		counted := func() []reseal.Count {
			t.Helper()
			got, err := reseal.Counts(t.Context(), s, both)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		if diff := cmp.Diff(want, counted()); diff != "" {
			t.Error(diff)
		}
		if n := v.run(both); n != 83 {
			t.Errorf("%d were re-encrypted, want 83", n)
		}
		if n, older := v.opens(fresh), v.opens(old); n != 86 || older != 0 {
			t.Errorf("%d open with the first secret, and %d with the older", n, older)
		}
		for i := range want {
			want[i].Older = 0
		}
		if diff := cmp.Diff(want, counted()); diff != "" {
			t.Error(diff)
		}
		if n := v.run(both); n != 0 {
			t.Errorf("%d were re-encrypted again", n)
		}
	})
}

// After an interruption, another run does the rest.
func TestRunIsResumed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *ent.Store) {
		v := open(t, s)
		old, both, fresh := ring(t, secrets[0]), ring(t, secrets[1], secrets[0]), ring(t, secrets[1])
		for n := range 50 {
			v.answer(old, n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err := reseal.Run(ctx, s, both, func(reseal.Done) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
		done := v.opens(fresh)
		if done == 0 || done == 50 || v.opens(both) != 50 {
			t.Errorf("%d were re-encrypted, and %d open", done, v.opens(both))
		}
		if n := v.run(both); n != 50-done || v.opens(fresh) != 50 {
			t.Errorf("%d were re-encrypted then", n)
		}
	})
}
