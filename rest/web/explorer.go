package web

import "net/http"

// explorerParts are the files of GraphiQL's page, in loading order.
var explorerParts = []string{"react/react.production.min.js", "react-dom/react-dom.production.min.js",
	"graphiql/graphiql.min.js"}

// Explorer serves the GraphQL explorer at /graphql/explorer: GraphiQL, which queries /graphql of
// its own host as the person signed in, or with a token entered into its headers. Headers stay in
// the page's memory by default.
func Explorer() (http.Handler, error) {
	const at, below = explorerPath, explorerPath + "/static/"
	mux := http.NewServeMux()
	var page struct {
		Title, Style string
		Scripts      []string
	}
	page.Title = "GraphQL explorer"
	for _, name := range explorerParts {
		script, err := ship(mux, below, name, explorerPolicy)
		if err != nil {
			return nil, err
		}
		page.Scripts = append(page.Scripts, script)
	}
	style, err := ship(mux, below, "graphiql/graphiql.min.css", explorerPolicy)
	if err != nil {
		return nil, err
	}
	page.Style = style
	a, err := render(sections(at, true), "explorer.html", explorerPolicy, page)
	if err != nil {
		return nil, err
	}
	mux.Handle("GET "+at, a)
	mux.Handle("GET "+at+"/{$}", http.RedirectHandler(at, http.StatusPermanentRedirect))
	for _, name := range []string{"explorer.css", "explorer.js"} {
		a, err := staticAsset(name, explorerPolicy)
		if err != nil {
			return nil, err
		}
		mux.Handle("GET "+below+name, a)
	}
	return mux, nil
}
