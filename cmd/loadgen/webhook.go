package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// webhooksCommand prints the tables of deliveries.
type webhooksCommand struct {
	Engine     string        `enum:"sqlite,mariadb,both" default:"both" help:"Database: ${enum}."`
	Data       string        `type:"path" help:"Folder for the data; its path must be short. Default: a folder in the temporary one."`
	Binary     string        `type:"path" help:"Measure this program instead of one that is built now."`
	Deliveries int           `default:"60000" help:"Deliveries of each backlog."`
	Rounds     int           `default:"1" help:"Rounds of every drain; the median is shown."`
	Duration   time.Duration `default:"20s" help:"Length of each live load."`
	Only       string        `placeholder:"FIGURE" help:"Measure only the figures whose name contains this: drain, live."`
	Quick      bool          `help:"Small backlogs and short loads: to try the command, not for figures."`
}

// hookSize is the data: a hundred stores with a few orders each, since no endpoint
// asks for more.
var hookSize = corpus.Size{Orders: 4000, Stores: 100, Share: 1, Products: 10}

// hookFigures are what the command measures, in this order.
var hookFigures = []struct {
	name    string
	measure func(*hookBench, context.Context) error
}{
	{"drain", (*hookBench).drains},
	{"live", (*hookBench).lives},
}

// Run measures every engine and prints.
func (c *webhooksCommand) Run(ctx context.Context) error {
	if c.Quick {
		c.Deliveries, c.Rounds, c.Duration = min(c.Deliveries, 5000), 1, min(c.Duration, 3*time.Second)
	}
	place := dataFlags{Engine: c.Engine, Data: c.Data, Orders: hookSize.Orders}
	s := store{dir: place.store().dir, size: hookSize, anew: true}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	if err := ready(ctx, &c.Binary, s.dir); err != nil {
		return err
	}
	r := &hookReport{quick: c.Quick}
	defer r.print(os.Stdout) // what was found before an error, too
	for _, engine := range place.engines() {
		if err := c.engine(ctx, r, s, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

// engine measures one engine, on a database of its own.
func (c *webhooksCommand) engine(ctx context.Context, r *hookReport, s store, engine string) error {
	return c.bench(ctx, r, s, engine, func(b *hookBench) error {
		for _, f := range hookFigures {
			if !strings.Contains(f.name, c.Only) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s: %s\n", engine, f.name)
			if err := f.measure(b, ctx); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
		}
		return nil
	})
}

// bench opens the data, lets f measure, and leaves no deliveries behind.
func (c *webhooksCommand) bench(
	ctx context.Context, r *hookReport, s store, engine string, f func(*hookBench) error,
) error {
	d, err := s.open(ctx, engine)
	if err != nil {
		return err
	}
	defer d.close()
	all := newChildren(s.dir, c.Binary, d)
	ring, err := keyring.Parse(all.secret)
	if err != nil {
		return err
	}
	own, err := ent.Open(ctx, ent.Config{Database: d.address})
	if err != nil {
		return err
	}
	defer own.Close()
	hooks, err := corpus.NewHooks(own, d.corpus, webhook.NewVault(ring))
	if err != nil {
		return err
	}
	if err := f(&hookBench{webhooksCommand: c, children: all, hooks: hooks, report: r}); err != nil {
		return err
	}
	return hooks.Clear(ctx)
}

// hookBench measures one engine.
type hookBench struct {
	*webhooksCommand
	*children
	hooks  *corpus.Hooks
	report *hookReport
}

// begin empties the tables and starts a sink whose endpoints are registered;
// path gives each one's behaviour.
func (b *hookBench) begin(ctx context.Context, spread corpus.Spread, path func(i int) string) (*child, error) {
	if err := b.hooks.Clear(ctx); err != nil {
		return nil, err
	}
	sink, err := b.sink(ctx, "sink")
	if err != nil {
		return nil, err
	}
	err = b.hooks.Register(ctx, spread, func(i int) string { return "http://" + sink.addr + path(i) })
	if err != nil {
		sink.stop()
		return nil, err
	}
	return sink, nil
}

// plainPath is that of an endpoint which answers.
func plainPath(i int) string { return fmt.Sprint("/", i) }

// hookReport is what a run found, table by table.
type hookReport struct {
	quick  bool
	tables []*hookTable
}

// hookTable is one table: what it is about, its head, its lines.
type hookTable struct {
	about []string
	head  []string
	lines [][]string
}

// add appends a line to the table with the head, which begins with its first line.
func (r *hookReport) add(about, head []string, line ...string) {
	i := slices.IndexFunc(r.tables, func(t *hookTable) bool { return slices.Equal(t.head, head) })
	if i < 0 {
		i = len(r.tables)
		r.tables = append(r.tables, &hookTable{about: about, head: head})
	}
	r.tables[i].lines = append(r.tables[i].lines, line)
}

// print writes the tables as Markdown. The first two columns
// are texts, the others figures.
func (r *hookReport) print(w io.Writer) {
	if r.quick {
		fmt.Fprintln(w, "A quick run: small backlogs and short loads. Its figures show that the command works, "+
			"nothing else.")
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s/%s, %d CPUs, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, t := range r.tables {
		fmt.Fprintln(w)
		for _, line := range t.about {
			fmt.Fprintln(w, line)
		}
		fmt.Fprintln(w)
		rule := slices.Repeat([]string{"---:"}, len(t.head))
		rule[0], rule[1] = "---", "---"
		row(w, t.head...)
		row(w, rule...)
		for _, line := range t.lines {
			row(w, line...)
		}
	}
}

// least and most show a figure with the bound that it is held to.
func least(v, bound float64, form string) string { return judged(v, bound, form, "≥", v >= bound) }

func most(v, bound float64, form string) string { return judged(v, bound, form, "≤", v <= bound) }

func judged(v, bound float64, form, sign string, kept bool) string {
	verdict := "kept"
	if !kept {
		verdict = "missed"
	}
	return fmt.Sprintf(form+" ("+sign+" "+form+", %s)", v, bound, verdict)
}
