package layout

import "testing"

func TestMapOrder(t *testing.T) {
	const text = "graph/a.go:4: f calls the database in the order of a map: sort its keys"
	body := func(declared, loop string) map[string]string {
		return map[string]string{"graph/a.go": "package graph\n\nfunc f(ctx context.Context, p map[int]int) { " + declared +
			"\n" + loop + "\n}\n"}
	}
	const write = " { write(ctx, k) }"
	run(t, eachCode(mapOrder), []broken{
		{name: "a literal", files: body("m := map[int]int{}", "for k := range m"+write), want: []string{text}},
		{name: "made", files: body("m := make(map[int]int, 2)", "for k := range m"+write), want: []string{text}},
		{name: "declared", files: body("var m map[int]int", "for k := range m"+write), want: []string{text}},
		{name: "a parameter", files: body("", "for k := range p"+write), want: []string{text}},
		{name: "sorted", files: body("", "for _, k := range slices.Sorted(maps.Keys(p))"+write)},
		{name: "no database", files: body("", "for k := range p { add(k) }")},
		{name: "a list", files: body("m := []int{}", "for k := range m"+write)},
	})
}
