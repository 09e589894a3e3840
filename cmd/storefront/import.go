package main

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/storefront-go/storefront/cmd/internal/shopify"
)

type importCmd struct {
	Shopify importShopifyCmd `cmd:"" help:"Bring in the CSV exports of a Shopify store; a dry run unless --apply is given."`
}

type importShopifyCmd struct {
	target
	Dir   string `arg:"" type:"existingdir" help:"The folder of the exports: products….csv, customers….csv, orders….csv."`
	Apply bool   `help:"Keep what is imported. Without it everything is tried and nothing is kept."`

	ContinueNumbers bool `default:"true" negatable:"" help:"Number orders above the highest number in the files."`
}

// Help implements kong.HelpProvider.
func (importShopifyCmd) Help() string {
	return `Reads products with their options, variants and first picture, customers, and orders with what was paid, ` +
		`refunded and sent. A product comes in the state that it has; of its pictures the first is named by its address. ` +
		`An order keeps its number at Shopify as its external number, which is shown, printed and searched, and the time ` +
		`at which it was placed; payments, parcels and refunds are recorded as of now. The times that they had, and the ` +
		`discount code, stand in a note of the order. Its lines take no stock and lead to no product. Shoppers get no ` +
		`emails.

The store's own numbers go on above the highest number in the files, unless --no-continue-numbers is given. A server ` +
		`that runs meanwhile may still use up to 20 numbers that it took before.

What has no place here, such as a barcode, or is too long is left out or clipped, and noted with file and line. Where ` +
		`an order's lines do not add up to its total, the rest becomes a line: a tip, duties or a cent of rounding.

What comes in is made by the same operations as on the dashboard: it counts for the limits, stands in the audit log ` +
		`and makes its events, so webhooks go to whoever subscribes. Pause endpoints that should not hear of it.

A record that is broken or in another currency is left out, and reported with its file, line and ` +
		`reason. It may be corrected, and the command be run again: what was imported before is passed over, by its handle ` +
		`(products), customer id or e-mail address, and order id or number. A change of such a record is not brought in.

A dry run does the whole of it, record by record, and keeps none. It may run beside a server, as the import may.

Examples:

    storefront import shopify ./exports --store my-shop
    storefront import shopify ./exports --store my-shop --apply
    storefront import shopify ./exports --store my-shop --json
`
}

// Run imports.
func (c *importShopifyCmd) Run(s *session) error {
	return c.enter(s, func(w work) error {
		report, err := shopify.Run(w.ctx, shopify.Config{
			Core: w.Resolver, Store: w.store, Dir: c.Dir, Apply: c.Apply,
			Continue: c.ContinueNumbers,
			Progress: func(file string, n int) { _, _ = fmt.Fprintf(s.err, "%s: %d read\n", file, n) },
		})
		if report == nil {
			return err
		}
		if c.JSON {
			return cmp.Or(err, c.print(s, report, nil))
		}
		return cmp.Or(err, printImport(s.out, report))
	})
}

// printImport prints the findings and the totals.
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
	if r.More > 0 {
		_, _ = fmt.Fprintf(w, "and %d more\n", r.More)
	}
	_, _ = fmt.Fprintln(w, "\nKIND\tREAD\tIMPORTED\tBEFORE\tLEFT OUT")
	for _, k := range r.Kinds {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\n", k.Kind, k.Read, k.Made, k.Known, k.Left)
	}
	if err := w.Flush(); err != nil || r.Applied {
		return err
	}
	_, err := fmt.Fprintln(out, "\nThis was a dry run: nothing was kept. Run it again with --apply.")
	return err
}
