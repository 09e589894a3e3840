package web

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"
)

// guidesPath is where the guides are: this path lists them.
const guidesPath = "/docs/guides"

// guideNames are the guides in the order in which they are read; each is a file of the
// folder guides in Markdown.
var guideNames = []string{"tour", "first-call", "oauth", "webhooks", "sync", "exports", "graphql", "themes",
	"dashboard", "run", "settings", "operate", "delivery", "payments", "email", "images", "backup", "shopify", "vitess"}

// exampleHost stands in the guides for where the API is.
const exampleHost = "https://api.example.com"

// guide is a page that leads through one task.
type guide struct {
	Path, Name, Lead string
	Body             template.HTML
	Headings         []heading
}

// readGuide renders a file. It begins with a heading and a paragraph, which are the name of
// the guide and what it is about.
func readGuide(name, host string) (guide, error) {
	b, err := files.ReadFile("guides/" + name + ".md")
	if err != nil {
		return guide{}, err
	}
	parts := strings.SplitN(strings.ReplaceAll(string(b), exampleHost, host), "\n\n", 3)
	title, ok := strings.CutPrefix(parts[0], "# ")
	if !ok || len(parts) < 3 {
		return guide{}, fmt.Errorf("guide %s: want a heading, a paragraph and a text", name)
	}
	g := guide{Path: guidesPath + "/" + name, Name: title, Lead: strings.ReplaceAll(parts[1], "\n", " ")}
	g.Body, g.Headings = markdown(parts[2])
	return g, nil
}

// guides mounts all of them, and their list.
func (d *site) guides() {
	var list []guide
	for _, name := range guideNames {
		g, err := readGuide(name, cmp.Or(d.APIHost, exampleHost))
		d.note(err)
		list = append(list, g)
	}
	type page struct {
		Title  string
		Guides []guide
		guide
	}
	d.page(guidesPath, "guides.html", page{Title: d.title, Guides: list})
	for _, g := range list {
		d.page(g.Path, "guide.html", page{d.title, list, g})
	}
}
