package web

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"
)

const guidesPath = "/docs/guides"

// guideNames are the files in the folder guides, in reading order.
var guideNames = []string{"tour", "first-call", "connect", "oauth", "webhooks", "sync", "exports",
	"imports", "graphql", "themes", "shop-api",
	"dashboard", "payments", "shopify",
	"run", "settings", "operate", "delivery", "email", "images", "backup", "vitess"}

// guideParts are the headings of the list, by the first guide of each.
var guideParts = map[string]string{"tour": "Build", "dashboard": "Sell", "run": "Operate"}

// exampleHost is the API host in the sources of the guides.
const exampleHost = "https://api.example.com"

type guide struct {
	Path, Name, Lead string
	Body             template.HTML
	Markdown         string // the source
	Headings         []heading
}

// readGuide renders a file. Its first heading and paragraph are the title and the summary of the
// guide.
func readGuide(name, host string) (guide, error) {
	b, err := files.ReadFile("guides/" + name + ".md")
	if err != nil {
		return guide{}, err
	}
	source := strings.ReplaceAll(string(b), exampleHost, host)
	parts := strings.SplitN(source, "\n\n", 3)
	title, ok := strings.CutPrefix(parts[0], "# ")
	if !ok || len(parts) < 3 {
		return guide{}, fmt.Errorf("guide %s: want a heading, a paragraph and a text", name)
	}
	g := guide{Path: guidesPath + "/" + name, Name: title, Lead: strings.ReplaceAll(parts[1], "\n", " "),
		Markdown: source}
	g.Body, g.Headings = markdown(parts[2])
	return g, nil
}

type guidePart struct {
	Name   string
	Guides []guide
}

func (d *site) guides() {
	var parts []guidePart
	for _, name := range guideNames {
		g, err := readGuide(name, cmp.Or(d.APIHost, exampleHost))
		d.note(err)
		if heading := guideParts[name]; heading != "" {
			parts = append(parts, guidePart{Name: heading})
		}
		last := &parts[len(parts)-1]
		last.Guides = append(last.Guides, g)
	}
	type page struct {
		Title string
		Parts []guidePart
		guide
	}
	d.page(guidesPath, "guides.html", page{Title: d.title, Parts: parts})
	for _, part := range parts {
		for _, g := range part.Guides {
			a, err := render(sections(g.Path, d.Explorer), "guide.html", docsPolicy, page{d.title, parts, g})
			d.note(err)
			d.twins(g.Path, a, g.Markdown)
		}
	}
}
