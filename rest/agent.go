package rest

import (
	"bytes"
	"context"
	"net/http"

	"github.com/gorilla/mux"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/rest/mcp"
)

// agentScopes returns the scopes that the challenge to agents names: all except those that send money.
// A client that needs those asks for them itself.
func agentScopes() scope.Set {
	var set scope.Set
	for _, entry := range scope.All() {
		if !entry.Money {
			set |= scope.Of(entry.Name)
		}
	}
	return set
}

func (a *API) agents(router *mux.Router, document func() ([]byte, error)) {
	router.Path(mcp.Path).Handler(a.agent(later(func() (http.Handler, error) {
		b, err := document()
		if err != nil {
			return nil, err
		}
		tools, err := mcp.Tools(b)
		return mcp.NewHandler(tools, a.Version, a.Logger, func(r *http.Request) (scope.Set, mcp.API) {
			return viewer.From(r.Context()).Scopes, &inside{router, r}
		}), err
	})))
}

// agent authenticates an agent's message like an API request, with the same rate limits. The
// request of a tool that the message calls is authenticated and counted by itself.
func (a *API) agent(next http.Handler) http.Handler {
	row := &served{meter: a.metrics.route("*", mcp.Path), resource: mcp.Path, hint: agentScopes().String()}
	return a.handler(row, func(c *call) error {
		if a.cors(c) {
			return nil
		}
		c.query.read(c.r.URL.RawQuery)
		for _, step := range [...]func(*API, *call) error{(*API).authenticate, (*API).limit, (*API).parameters} {
			if err := step(a, c); err != nil {
				return err
			}
		}
		c.w.Header()["Cache-Control"] = noStore
		c.pass(next)
		return nil
	})
}

// inside answers tool calls with the API of this process, as requests of the client that sent the
// message.
type inside struct {
	api  http.Handler
	from *http.Request
}

// passed are the headers that identify the sender; they are copied from the message.
var passed = []string{"Authorization", "X-Forwarded-For", "User-Agent"}

// Do implements [mcp.API].
func (i *inside) Do(_ context.Context, asked *mcp.Request) (status int, answer []byte, err error) {
	ctx := context.WithValue(i.from.Context(), agentKey{}, true)
	r, err := http.NewRequestWithContext(ctx, asked.Method, Base+asked.Target, bytes.NewReader(asked.Body))
	if err != nil {
		return 0, nil, err
	}
	r.Host, r.RemoteAddr, r.TLS = i.from.Host, i.from.RemoteAddr, i.from.TLS
	asked.Header(r.Header)
	for _, name := range passed {
		if values := i.from.Header.Values(name); len(values) > 0 {
			r.Header[name] = values
		}
	}
	w := &kept{header: http.Header{}}
	i.api.ServeHTTP(w, r)
	if w.cut {
		return 0, nil, mcp.ErrTooLarge
	}
	return w.status, w.body.Bytes(), nil
}

// kept records an answer in memory, up to [mcp.MaxAnswer] bytes.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
	cut    bool // the answer is longer than MaxAnswer
}

// Header implements http.ResponseWriter.
func (k *kept) Header() http.Header { return k.header }

// WriteHeader implements http.ResponseWriter.
func (k *kept) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

// Write implements http.ResponseWriter.
func (k *kept) Write(b []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	if k.cut = k.cut || k.body.Len()+len(b) > mcp.MaxAnswer; k.cut {
		return len(b), nil
	}
	return k.body.Write(b)
}
