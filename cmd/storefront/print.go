package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/storefront-go/storefront/ent/micros"
)

type output struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// table is rows for people; the first one holds the column headers.
type table [][]string

func (o output) print(s *session, data any, rows table) error {
	if o.JSON {
		e := json.NewEncoder(s.out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(data)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

func written(t *micros.Time) *string {
	if t == nil {
		return nil
	}
	return new(t.String())
}

func shown(v *string) string {
	if v == nil {
		return "-"
	}
	return *v
}
