package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

type place struct {
	Engine string `enum:"sqlite,mariadb,both" default:"both" help:"Database: ${enum}."`
	Data   string `type:"path" help:"Folder that keeps the data between runs; its path must be short. Default: a folder in the temporary one."`
}

func (p place) engines() []string {
	if p.Engine == "both" {
		return []string{"sqlite", "mariadb"}
	}
	return []string{p.Engine}
}

func (p place) dir() string {
	if p.Data == "" {
		return filepath.Join(os.TempDir(), "storefront-loadgen")
	}
	return p.Data
}

// bench holds the settings and the report of a measurement.
type bench struct {
	place
	Binary   string        `type:"path" help:"Measure this server instead of one that is built now."`
	Rounds   int           `default:"3" help:"Rounds of every figure; the medians are shown."`
	Duration time.Duration `default:"3s" help:"Length of one round of one side."`
	Only     string        `placeholder:"TEXT" help:"Measure only the figures whose name contains this."`
	Quick    bool          `help:"Small data and one short round: to try the command, not for figures."`
	report   report
}

func (b *bench) wants(figure string) bool { return strings.Contains(figure, b.Only) }

// run measures every engine and prints the tables, also those before an error.
func (b *bench) run(ctx context.Context, dir string, measure func(ctx context.Context, engine string) error) error {
	if b.Quick {
		b.Rounds, b.Duration = 1, min(b.Duration, 300*time.Millisecond)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if b.Binary == "" {
		b.Binary = filepath.Join(dir, "storefront")
		if err := build(ctx, b.Binary); err != nil {
			return err
		}
	}
	if b.Quick {
		fmt.Println("A quick run: its figures show that the command works, nothing else.")
	}
	defer func() { b.report.print(os.Stdout) }()
	for _, engine := range b.engines() {
		if err := measure(ctx, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

type report []*table

// table has a head and lines. Its first two columns are texts, the others figures.
type table struct {
	head  []string
	lines [][]string
}

// add appends a line to the table with the head; its first line begins the table.
func (r *report) add(head []string, line ...string) {
	i := slices.IndexFunc(*r, func(t *table) bool { return slices.Equal(t.head, head) })
	if i < 0 {
		i = len(*r)
		*r = append(*r, &table{head: head})
	}
	(*r)[i].lines = append((*r)[i].lines, line)
}

func (r report) print(w io.Writer) {
	row := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	fmt.Fprintf(w, "%s/%s, %d CPUs, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, t := range r {
		fmt.Fprintln(w)
		rule := slices.Repeat([]string{"---:"}, len(t.head))
		rule[0], rule[1] = "---", "---"
		row(t.head)
		row(rule)
		for _, line := range t.lines {
			row(line)
		}
	}
}

func micros(d time.Duration) string { return fmt.Sprintf("%.0f", float64(d)/float64(time.Microsecond)) }

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond)) }
