package web

import "net/http"

// explorerParts are the files of GraphiQL's page, in loading order.
var explorerParts = []string{"react/react.production.min.js", "react-dom/react-dom.production.min.js",
	"graphiql/graphiql.min.js"}

// Explorer serves the GraphQL explorer at /graphql/explorer: GraphiQL, which queries /graphql of
// its own host as the person signed in, or with a token entered into its headers. Headers stay in
// the page's memory by default.
func Explorer() (http.Handler, error) {
	d := newSite(DocsConfig{Explorer: true}, explorerPath)
	page := struct {
		Title, Style string
		Scripts      []string
	}{Title: "GraphQL explorer", Style: d.ship("graphiql/graphiql.min.css", explorerPolicy)}
	for _, name := range explorerParts {
		page.Scripts = append(page.Scripts, d.ship(name, explorerPolicy))
	}
	d.add(explorerPath, "explorer.html", explorerPolicy, page)
	d.static("explorer.css", explorerPolicy)
	d.static("explorer.js", explorerPolicy)
	return d.mux, d.err
}
