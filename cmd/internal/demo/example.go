package demo

import (
	"fmt"
	"io"
	"strings"
)

// Announce prints the addresses of the demo, who can sign in, and a command to paste.
func (f *File) Announce(w io.Writer, path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  Dashboard  %s\n  API        %s\n  GraphQL    %s\n  Docs       %s/docs\n  Admin      %s\n\n",
		f.DashboardURL, f.BaseURL, f.GraphQLURL, f.APIHost, f.AdminURL)
	for _, s := range f.Stores {
		fmt.Fprintf(&b, "  %s (%s)\n    store    %s\n    sign in  %s  %s\n    key      %s\n",
			s.Name, s.Currency, s.StoreHost, s.Owner.Email, s.Owner.Password, s.Keys["all"])
	}
	if f.Runs != "" {
		fmt.Fprintf(&b, "\n  %s is that of the demo at %s, which runs on the same data: it was left as it is.",
			path, f.Runs)
	} else {
		fmt.Fprintf(&b, "\n  Every credential is in %s.", path)
	}
	b.WriteString(" Try:\n\n")
	if len(f.Stores) > 0 {
		fmt.Fprintf(&b, "    curl -s -H 'Authorization: Bearer %s' '%s/orders?limit=2'\n\n",
			f.Stores[0].Keys["all"], f.BaseURL)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
