package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/factor"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/reseal"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// The removal of a secret: a new one in front, values resealed, and the doctor's finding after each
// step.
func TestSecretGoes(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { secretGoes(t, newCLI(t), "") })
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) {
			c, database := newCLI(t), storetest.EmptyMySQL(t)
			c.env[1] = "STOREFRONT_DATABASE=" + database
			secretGoes(t, c, database)
		})
	}
}

func secretGoes(t *testing.T, c cli, database string) {
	data := strings.TrimPrefix(c.env[0], "STOREFRONT_DATA=")
	if o := c.run("secret", "rotate"); o.code != exitFailed || o.out != "" {
		t.Errorf("rotated what is not there: %+v", o)
	}
	var st status
	c.decode(&st, "migrate", "apply")
	old, err := keyring.LoadOrCreate(data)
	if err != nil {
		t.Fatal(err)
	}
	s, err := app.OpenStore(t.Context(), app.Opening{Relaxed: true,
		Storage: app.Storage{Data: data, Database: database}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	person, id := xid.New(), xid.New()
	aad := slices.Concat(person[:], id[:])
	err = s.InTx(viewer.Everywhere(t.Context()), func(ctx context.Context) error {
		return s.DB(ctx).Factor.Create().SetUserID(person).SetID(id).SetKind(state.FactorTOTP).SetName("Phone").
			SetData(old.Sealer("factors").Seal([]byte("plain"), aad)).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	c.doctor("everything can be decrypted")
	var r rotated
	c.decode(&r, "secret", "rotate")
	if r.Secrets != 2 || *r.File != filepath.Join(data, keyring.FileName) || r.List != nil {
		t.Errorf("rotated %+v", r)
	}
	c.doctor("needed by 1 second factors")
	var done []reseal.Done
	if c.decode(&done, "secret", "reseal"); len(done) != 10 || resealed(done) != 1 {
		t.Errorf("sealed anew %+v", done)
	}
	c.doctor("no data needs an older root secret")
	first := lastButFirst(t, data)
	if plain, err := first.Sealer("factors").Open(dataOf(t, s, id), aad); err != nil || string(plain) != "plain" {
		t.Errorf("it opens as %q, %v", plain, err)
	}
	c.doctor("everything can be decrypted")
	if err := os.WriteFile(filepath.Join(data, keyring.FileName), []byte(unlike(t, first)), 0o600); err != nil {
		t.Fatal(err)
	}
	c.doctor("the root secret is missing for 1 second factors")
	if o := c.run("secret", "reseal"); o.code != exitOK || !strings.Contains(o.out, "second factors") {
		t.Errorf("%+v", o)
	}
}

// unlike returns a new root secret whose identifying byte is not that of a ring's first.
func unlike(t *testing.T, first *keyring.Ring) string {
	t.Helper()
	for {
		secret := keyring.New()
		r, err := keyring.Parse(secret)
		if err != nil {
			t.Fatal(err)
		}
		if r.KeyIDs()[0] != first.KeyIDs()[0] {
			return secret
		}
	}
}

// doctor checks the finding about sealed values.
func (c cli) doctor(want string) {
	c.t.Helper()
	if o := c.run("doctor"); !strings.Contains(o.out, want) {
		c.t.Errorf("doctor does not say that %s:\n%s", want, o.out)
	}
}

// lastButFirst removes all secrets but the first, and returns its ring.
func lastButFirst(t *testing.T, data string) *keyring.Ring {
	t.Helper()
	path := filepath.Join(data, keyring.FileName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(b), ",")
	if err := os.WriteFile(path, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := keyring.LoadOrCreate(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func dataOf(t *testing.T, s *ent.Store, id xid.ID) []byte {
	t.Helper()
	c, all := storetest.AllStores(t, s)
	row, err := c.Factor.Query().Where(factor.ID(id)).Only(all)
	if err != nil {
		t.Fatal(err)
	}
	return row.Data
}

// The operator sets a secret of the environment; one in a named file is written there.
func TestSecretRotateElsewhere(t *testing.T) {
	old := strings.Repeat("k", 32)
	c := newCLI(t)
	c.env = append(c.env, "STOREFRONT_SECRET_KEY="+old)
	var r rotated
	c.decode(&r, "secret", "rotate")
	if r.File != nil || r.Secrets != 2 || !strings.HasSuffix(*r.List, ","+old) {
		t.Errorf("rotated %+v", r)
	}
	if o := c.run("secret", "rotate"); strings.Contains(o.err, old) || !strings.Contains(o.out, ","+old) ||
		!strings.Contains(o.err, "set STOREFRONT_SECRET_KEY") {
		t.Errorf("%+v", o)
	}
	path := filepath.Join(t.TempDir(), "root")
	if err := os.WriteFile(path, []byte(old+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c = newCLI(t)
	c.env = append(c.env, "STOREFRONT_SECRET_KEY_FILE="+path)
	o := c.run("secret", "rotate")
	b, err := os.ReadFile(path)
	if err != nil || o.code != exitOK || strings.Contains(o.out+o.err, old) ||
		!strings.HasSuffix(string(b), ","+old+"\n") {
		t.Errorf("%+v, the file holds %q, %v", o, b, err)
	}
}

// resealed counts the resealed values of all columns.
func resealed(all []reseal.Done) (n int64) {
	for _, d := range all {
		n += int64(d.Resealed)
	}
	return n
}
