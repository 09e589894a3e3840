package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/reseal"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

type secretCmd struct {
	Rotate secretRotateCmd `cmd:"" help:"Put a new root secret in front of the present ones."`
	Reseal secretResealCmd `cmd:"" help:"Seal anew with the first root secret what older ones sealed."`
}

type secretRotateCmd struct {
	app.Storage
	output
}

// Help implements kong.HelpProvider.
func (secretRotateCmd) Help() string {
	return `A root secret that may have leaked, or is old, goes in five steps:

 1. storefront secret rotate: a new one signs and seals from then on, and the others still open.
 2. Restart every server and dispatcher soon: those that run know the old ones alone, and do not open what the new ` +
		`one seals.
 3. storefront secret reseal, while they run.
 4. storefront doctor says when nothing needs an older secret any more.
 5. Take it away from the end of the list, and restart once more.

The new secret goes into the file that STOREFRONT_SECRET_KEY_FILE names, or into secret.key in the data folder. ` +
		`Where the secret comes from STOREFRONT_SECRET_KEY, the new list is printed, to be set there.

Examples:

    storefront secret rotate
    STOREFRONT_SECRET_KEY_FILE=/etc/storefront/secret storefront secret rotate --json
`
}

// rotated is the output of rotate.
type rotated struct {
	// File holds the secrets; null if they come from the environment, which then has to be set to
	// List.
	File *string `json:"file"`
	List *string `json:"list"`
	// Secrets is the number of secrets.
	Secrets int `json:"secrets"`
}

// Run rotates.
func (c *secretRotateCmd) Run(s *session) error {
	if err := s.storage(&c.Storage); err != nil {
		return err
	}
	path := s.getenv("STOREFRONT_SECRET_KEY_FILE")
	if path == "" && c.SecretKey != "" {
		return c.listed(s)
	}
	if path == "" {
		path = filepath.Join(c.Data, keyring.FileName)
	}
	ring, err := keyring.Rotate(path)
	if err != nil {
		return err
	}
	n := len(ring.KeyIDs())
	const next = "restart every server and dispatcher, then run `storefront secret reseal`"
	return c.print(s, rotated{File: &path, Secrets: n},
		table{{"file", path}, {"secrets", strconv.Itoa(n)}, {"next", next}})
}

// listed prints the new value of the variable.
func (c *secretRotateCmd) listed(s *session) error {
	list, err := keyring.Ahead(c.SecretKey)
	if err != nil {
		return fmt.Errorf("STOREFRONT_SECRET_KEY: %w", err)
	}
	_, err = fmt.Fprintln(s.err, "Nothing was changed: set STOREFRONT_SECRET_KEY to this list, wherever it is set, then "+
		"restart every server and dispatcher, and run `storefront secret reseal`. It is shown once.")
	if err != nil {
		return err
	}
	return c.print(s, rotated{List: &list, Secrets: strings.Count(list, ",") + 1}, table{{list}})
}

type secretResealCmd struct {
	app.Storage
	output
}

// Help implements kong.HelpProvider.
func (secretResealCmd) Help() string {
	return `Servers may run meanwhile, once all of them have the new secret. It may be stopped at any time and run ` +
		`again: what is done is passed over. What no secret opens stays as it is, and is counted as lost.

Examples:

    storefront secret reseal
    storefront secret reseal --database-file /run/secrets/database --json
`
}

// Run reseals the values.
func (c *secretResealCmd) Run(s *session) error {
	if err := s.storage(&c.Storage); err != nil {
		return err
	}
	ring, err := c.Ring()
	if err != nil {
		return err
	}
	return withStore(s, c.Storage, func(store *ent.Store) error {
		list, err := reseal.Run(s.ctx, store, ring, func(d reseal.Done) {
			_, _ = fmt.Fprintf(s.err, "%s: %d sealed anew\n", d.Column, d.Resealed) // progress only
		})
		rows := table{{"SEALED", "ANEW", "CHANGED MEANWHILE", "LOST"}}
		for _, d := range list {
			rows = append(rows, []string{d.Column, strconv.Itoa(d.Resealed), strconv.Itoa(d.Changed),
				strconv.Itoa(d.Lost)})
		}
		return errors.Join(err, c.print(s, list, rows))
	})
}
