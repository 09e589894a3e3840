package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// report is all that a run found.
type report struct {
	quick   bool
	results []*result
	facts   []fact
	pages   []pageRow
}

// fact is a single value.
type fact struct{ name, value, bound string }

// print writes the tables as Markdown.
func (r *report) print(w io.Writer) {
	if r.quick {
		fmt.Fprintln(w, "A quick run: small data and short rounds. Its figures show that the command works, "+
			"nothing else.")
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s/%s, %d CPUs, %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	row(w, "figure", "engine", "reference", "server", "ratio", "asked")
	row(w, "---", "---", "---:", "---:", "---:", "---")
	for _, x := range r.results {
		last := len(x.sides) - 1
		if x.bound == 0 {
			row(w, x.name, x.engine, "", x.show(last), "", "")
			continue
		}
		row(w, x.name, x.engine, x.show(0), x.show(last), fmt.Sprintf("%.2f", x.ratio()), x.asked())
	}
	fmt.Fprintln(w)
	r.details(w)
	r.printPages(w)
	row(w, "figure", "found", "asked")
	row(w, "---", "---:", "---")
	for _, f := range r.facts {
		row(w, f.name, f.value, f.bound)
	}
}

// printPages writes the table of pages and of what shoppers do on them.
func (r *report) printPages(w io.Writer) {
	if len(r.pages) == 0 {
		return
	}
	row(w, "page", "engine", "CPU ms", "of the database", "p50 ms", "p99 ms", "statements", "kB", "asked")
	row(w, "---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---")
	for _, p := range r.pages {
		v := p.middle(0)
		row(w, p.name, p.engine, millis(v.server+v.database), millis(v.database), millis(v.p50), millis(v.p99),
			fmt.Sprintf("%.2f", p.statements), fmt.Sprintf("%.1f", float64(p.size)/1e3),
			within(v.server+v.database, p.bound, p.asked))
	}
	fmt.Fprintln(w)
}

// details are the medians of every side.
func (r *report) details(w io.Writer) {
	row(w, "figure", "engine", "side", "server CPU µs", "database CPU µs", "p50 ms", "p99 ms", "requests/s")
	row(w, "---", "---", "---", "---:", "---:", "---:", "---:", "---:")
	for _, x := range r.results {
		for i, s := range x.figure.sides {
			m := x.middle(i)
			row(w, x.name, x.engine, s.name, micros(m.server), micros(m.database), millis(m.p50), millis(m.p99),
				fmt.Sprintf("%.0f", m.rate))
		}
	}
	fmt.Fprintln(w)
}

func row(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }

// show is a side's median in the unit of the figure.
func (r *result) show(i int) string {
	m := r.middle(i)
	switch r.kind {
	case cpuPerRequest:
		return micros(m.server+m.database) + " µs CPU"
	case latency:
		return millis(m.p50) + " ms"
	}
	return fmt.Sprintf("%.0f/s", m.rate)
}

// asked is the bound, and whether it is kept.
func (r *result) asked() string {
	sign, verdict := "≤", "kept"
	if r.kind == throughput {
		sign = "≥"
	}
	if !r.kept() {
		verdict = "missed"
	}
	return fmt.Sprintf("%s %.2f, %s", sign, r.bound, verdict)
}

func micros(d time.Duration) string { return fmt.Sprintf("%.0f", float64(d)/float64(time.Microsecond)) }

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond)) }
