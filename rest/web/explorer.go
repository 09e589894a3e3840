package web

import "net/http"

// Explorer serves the GraphQL explorer at /graphql/explorer. The page queries
// /graphql of its own host; a token that is typed into it stays in the page's
// memory and is gone with the page.
func Explorer() (http.Handler, error) {
	page, err := render("explorer.html", explorerPolicy, nil)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /graphql/explorer", page)
	mux.Handle("GET /graphql/explorer/{$}", http.RedirectHandler("/graphql/explorer", http.StatusPermanentRedirect))
	for _, name := range []string{"explorer.css", "explorer.js"} {
		a, err := staticAsset(name, explorerPolicy)
		if err != nil {
			return nil, err
		}
		mux.Handle("GET /graphql/explorer/static/"+name, a)
	}
	return mux, nil
}
