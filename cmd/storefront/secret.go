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
	Rotate secretRotateCmd `cmd:"" help:"Add a new root secret before the current ones."`
	Reseal secretResealCmd `cmd:"" help:"Encrypt everything with the first root secret."`
}

type secretRotateCmd struct {
	app.Storage
	output
}

type rotated struct {
	// File holds the secrets; null if they come from a variable, which is then to be set to List.
	File    *string `json:"file"`
	List    *string `json:"list"`
	Secrets int     `json:"secrets"`
}

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

func (c *secretRotateCmd) listed(s *session) error {
	list, err := keyring.Ahead(c.SecretKey)
	if err != nil {
		return fmt.Errorf("STOREFRONT_SECRET_KEY: %w", err)
	}
	_, err = fmt.Fprintln(s.err, "Nothing has changed yet: set STOREFRONT_SECRET_KEY to this list everywhere, "+
		"restart every server and dispatcher, and run `storefront secret reseal`. The list is shown once.")
	if err != nil {
		return err
	}
	return c.print(s, rotated{List: &list, Secrets: strings.Count(list, ",") + 1}, table{{list}})
}

type secretResealCmd struct {
	app.Storage
	output
}

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
			_, _ = fmt.Fprintf(s.err, "%s: %d encrypted again\n", d.Column, d.Resealed) // progress only
		})
		rows := table{{"SEALED", "ANEW", "CHANGED MEANWHILE", "LOST"}}
		for _, d := range list {
			rows = append(rows, []string{d.Column, strconv.Itoa(d.Resealed), strconv.Itoa(d.Changed),
				strconv.Itoa(d.Lost)})
		}
		return errors.Join(err, c.print(s, list, rows))
	})
}
