package web

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var guideLink = regexp.MustCompile(`href="/docs/guides/([^"#]+)`)

// Every file is a listed guide, begins as guides do, and shows this host.
func TestGuides(t *testing.T) {
	entries, err := fs.ReadDir(files, "guides")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	if want := slices.Sorted(slices.Values(guideNames)); !slices.Equal(names, want) {
		t.Errorf("files %v, guides %v", names, want)
	}
	index := ask(docs(t), "GET", guidesPath).Body.String()
	for _, heading := range guideParts {
		if !strings.Contains(index, "<h2>"+heading+"</h2>") {
			t.Errorf("the list lacks the heading %s", heading)
		}
	}
	for _, name := range guideNames {
		g, err := readGuide(name, "https://api.test")
		if err != nil {
			t.Error(err)
			continue
		}
		if len(g.Headings) < 4 || strings.ContainsAny(g.Lead, "`[") {
			t.Errorf("%s: %d headings, lead %q", name, len(g.Headings), g.Lead)
		}
		for _, m := range guideLink.FindAllStringSubmatch(string(g.Body), -1) {
			if !slices.Contains(guideNames, m[1]) {
				t.Errorf("%s links to %s, which is no guide", name, m[1])
			}
		}
		if strings.Contains(string(g.Body), exampleHost) {
			t.Errorf("%s names the host of examples", name)
		}
		if !strings.Contains(index, `href="`+g.Path+`">`+g.Name) {
			t.Errorf("the list lacks %s", name)
		}
		page := ask(docs(t), "GET", g.Path).Body.String()
		if !strings.Contains(page, "<h1>"+g.Name+"</h1>") || !strings.Contains(page, `aria-current="page">`+g.Name) {
			t.Errorf("%s: no heading, or no mark in the list", name)
		}
	}
	if _, err := readGuide("nothing", ""); err == nil {
		t.Error("a guide that is none: want an error")
	}
}
