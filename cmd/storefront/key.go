package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/model"
)

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Create a key, shown once."`
	List   keyListCmd   `cmd:"" help:"List the keys, newest first."`
	Rotate keyRotateCmd `cmd:"" help:"Create a second live key with the same scopes, shown once."`
	Allow  keyAllowCmd  `cmd:"" help:"Set the networks from which a key may be used."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key."`
}

type key struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Hint       string   `json:"hint"`
	Scopes     []string `json:"scopes"`
	Superseded bool     `json:"superseded"`
	CreatedAt  string   `json:"created_at"`
	ExpiresAt  *string  `json:"expires_at"`
	RevokedAt  *string  `json:"revoked_at"`
	LastUsedAt *string  `json:"last_used_at"`
	// AllowedNetworks are the networks that may use it; empty allows all.
	AllowedNetworks []string `json:"allowed_networks"`
	Secret          *string  `json:"secret,omitempty"`
}

func keyOf(k *model.APIKey) key {
	return key{ID: xid.APIKey.Format(k.ID), Name: k.Name, Hint: k.Hint, Scopes: k.Scopes(), Superseded: k.Superseded(),
		CreatedAt: k.ID.Time().String(), ExpiresAt: written(k.ExpiresAt()), RevokedAt: written(k.RevokedAt),
		LastUsedAt: written(k.LastUsedAt), AllowedNetworks: k.AllowedNetworks()}
}

func (o output) printKey(s *session, p *model.APIKeyPayload, err error) error {
	if err != nil {
		return err
	}
	k := keyOf(p.APIKey)
	k.Secret = p.Secret
	rows := table{{"id", k.ID}, {"name", k.Name}, {"scopes", strings.Join(k.Scopes, " ")},
		{"expires", shown(k.ExpiresAt)}, {"revoked", shown(k.RevokedAt)}}
	if len(k.AllowedNetworks) > 0 {
		rows = append(rows, []string{"allowed from", strings.Join(k.AllowedNetworks, " ")})
	}
	if k.Secret != nil {
		rows = append(rows, []string{"key", *k.Secret + "  (shown once)"})
	}
	return o.print(s, k, rows)
}

type keyCreateCmd struct {
	target
	Name    string        `required:"" help:"What the key is for."`
	Scope   []string      `required:"" placeholder:"SCOPE" help:"A scope such as orders.read; repeat it, or separate several with commas."`
	Expires time.Duration `placeholder:"DURATION" help:"How long the key is valid, such as 720h (default: until revoked)."`
	From    []string      `placeholder:"NETWORK" help:"A network or address from which the key may be used; repeat it, or separate several with commas (default: everywhere)."`
}

func (c *keyCreateCmd) Run(s *session) error {
	in := model.APIKeyCreateInput{Name: c.Name, Scopes: c.Scope, AllowedNetworks: c.From}
	if c.Expires < 0 {
		return &usageError{fmt.Errorf("--expires: %s is in the past", c.Expires)}
	}
	if c.Expires > 0 {
		in.ExpiresAt = new(micros.Now().Add(c.Expires))
	}
	return c.enter(s, func(w work) error {
		p, err := w.Mutation().APIKeyCreate(w.ctx, in)
		return c.printKey(s, p, err)
	})
}

type keyListCmd struct{ target }

func (c *keyListCmd) Run(s *session) error {
	return list(c.target, s, []string{"ID", "NAME", "KEY", "SCOPES", "CREATED", "REVOKED", "LAST USED"},
		func(w work) ([]*model.APIKey, error) { return pages(w, w.Query().APIKeys) }, keyOf, func(k key) []string {
			return []string{k.ID, k.Name, k.Hint, strings.Join(k.Scopes, " "), k.CreatedAt, shown(k.RevokedAt),
				shown(k.LastUsedAt)}
		})
}

type keyRotateCmd struct {
	target
	ID          string        `arg:"" help:"The key's id, key_..."`
	OldKeyLives time.Duration `placeholder:"DURATION" help:"How long the old key remains valid, such as 48h (default: until revoked)."`
}

func (c *keyRotateCmd) Run(s *session) error {
	var ends *micros.Time
	if c.OldKeyLives < 0 {
		return &usageError{fmt.Errorf("--old-key-lives: %s is in the past", c.OldKeyLives)}
	}
	if c.OldKeyLives > 0 {
		ends = new(micros.Now().Add(c.OldKeyLives))
	}
	return c.enter(s, func(w work) error {
		p, err := w.Mutation().APIKeyRotate(w.ctx, c.ID, ends)
		return c.printKey(s, p, err)
	})
}

type keyAllowCmd struct {
	target
	ID   string   `arg:"" help:"The key's id, key_..."`
	From []string `placeholder:"NETWORK" help:"A network or address from which the key may be used; repeat it, or separate several with commas (default: everywhere)."`
}

func (c *keyAllowCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		p, err := w.Mutation().APIKeyAllow(w.ctx, c.ID, c.From)
		return c.printKey(s, p, err)
	})
}

type keyRevokeCmd struct {
	target
	ID string `arg:"" help:"The key's id, key_..."`
}

func (c *keyRevokeCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		p, err := w.Mutation().APIKeyRevoke(w.ctx, c.ID)
		return c.printKey(s, p, err)
	})
}
