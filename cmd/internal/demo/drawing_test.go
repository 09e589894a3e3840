package demo

import (
	"slices"
	"strings"
	"testing"
)

// Every kind of product has shapes of its own, and only known operations and colors.
func TestShapes(t *testing.T) {
	plans, err := shops()
	if err != nil {
		t.Fatal(err)
	}
	for _, plan := range plans {
		for _, g := range plan.Goods {
			if !strings.Contains(shapesText, " "+g.Kind+" ") && !strings.Contains(shapesText, " "+g.Kind+"\n") {
				t.Errorf("%s has no shapes", g.Kind)
			}
			c, empty := drawing(g.Kind, plan.Schemes[0]), newCanvas(plan.Schemes[0][0])
			for line := range strings.Lines(shapes(g.Kind)) {
				op, _, _ := strings.Cut(strings.TrimSpace(line), " ")
				if !slices.Contains([]string{"", "oval", "ring", "arc", "box", "line", "fill"}, op) {
					t.Errorf("%s: unknown operation in %q", g.Kind, line)
				}
			}
			if string(c.Pix) == string(empty.Pix) {
				t.Errorf("%s: nothing is drawn", g.Kind)
			}
		}
	}
	if shapes("unknown") != shapes("Services") {
		t.Error("an unknown kind is no gift")
	}
}
