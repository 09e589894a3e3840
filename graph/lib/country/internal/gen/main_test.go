package main

import (
	"slices"
	"testing"
)

func TestNamed(t *testing.T) {
	r := named("AS", "Asturias, Principado de", "")
	for _, want := range []string{"Principado de Asturias", "Asturias"} {
		if !slices.Contains(r.others, want) {
			t.Errorf("%v lacks %q", r.others, want)
		}
	}
	if r := named("AGY", "Isle of Anglesey [Sir Ynys Môn]", "WLS"); r.name != "Isle of Anglesey" ||
		!slices.Contains(r.others, "Sir Ynys Môn") {
		t.Errorf("%+v", r)
	}
}

// TestPart: a city and the surrounding area get different names.
func TestPart(t *testing.T) {
	list := []*region{{code: "A", name: "Sofia"}, {code: "B", name: "Sofia", listed: true}, {code: "C", name: "Varna"}}
	part(list)
	if list[0].name != "Sofia (A)" || list[1].name != "Sofia" || list[2].name != "Varna" {
		t.Errorf("%+v %+v %+v", list[0], list[1], list[2])
	}
}
