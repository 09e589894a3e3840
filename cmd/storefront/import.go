package main

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/storefront-go/storefront/cmd/internal/shopify"
)

type importCmd struct {
	Shopify importShopifyCmd `cmd:"" help:"Import the CSV exports of a Shopify store; a dry run unless --apply is given."`
}

type importShopifyCmd struct {
	target
	Dir   string `arg:"" type:"existingdir" help:"The folder of the exports: products….csv, inventory….csv, customers….csv, discounts….csv, orders….csv."`
	Apply bool   `help:"Keep what is imported. Without it everything is tried and nothing is kept."`

	ContinueNumbers bool `default:"true" negatable:"" help:"Number orders above the highest number in the files."`
}

func (c *importShopifyCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		report, err := shopify.Run(w.ctx, shopify.Config{
			Core: w.Resolver, Store: w.store, Dir: c.Dir, Apply: c.Apply,
			Continue: c.ContinueNumbers,
			Progress: func(file string) { _, _ = fmt.Fprintf(s.err, "%s\n", file) },
		})
		if len(report.Kinds) == 0 {
			return err
		}
		if c.JSON {
			return cmp.Or(err, c.print(s, report, nil))
		}
		return cmp.Or(err, printImport(s.out, report))
	})
}

func printImport(out io.Writer, r *shopify.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, list := range []struct {
		what     string
		findings []shopify.Finding
	}{{"note", r.Notes}, {"left out", r.Left}} {
		for _, f := range list.findings {
			_, _ = fmt.Fprintf(w, "%s:%d\t%s\t%s\t%s\n", f.File, f.Line, list.what, printable(f.Record),
				printable(f.Reason))
		}
	}
	_, _ = fmt.Fprintln(w, "\nKIND\tREAD\tCREATED\tUPDATED\tUNCHANGED\tLEFT OUT")
	for _, k := range r.Kinds {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\n", k.Kind, k.Read, k.Created, k.Updated, k.Unchanged, k.Left)
	}
	if r.Images > 0 {
		_, _ = fmt.Fprintf(w, "\nA server fetches %d images in the background.\n", r.Images)
	}
	if err := w.Flush(); err != nil || r.Applied {
		return err
	}
	_, err := fmt.Fprintln(out, "\nThis was a dry run: nothing was kept. Run it again with --apply.")
	return err
}
