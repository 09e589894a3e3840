package app

import (
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/graph/engine/fleet"
)

// program identifies the process to other programs on the admin port.
const program = "storefront"

const readyTimeout = 2 * time.Second

const statusTimeout = 10 * time.Second

// Phases of the process, as /readyz shows them.
const (
	starting int32 = iota
	serving
	draining
)

// admin serves the operator's port. It shares nothing with the public handler.
type admin struct {
	store *ent.Store
	// hosts are additional names of this port; see [admin.asked].
	hosts []string
	phase atomic.Int32
	// impaired returns why this process cannot send webhooks at present, or ""; nil if it sends none.
	// A process that does nothing else is not ready then.
	impaired func() string
	delivers bool // only delivers webhooks
	// domainOf returns the store that brought a host; nil if the process serves no shops.
	domainOf func(ctx context.Context, host string) (handle string, ok bool, err error)
	// current caches that the schema is current: migrations are never undone.
	current atomic.Bool
}

type health struct {
	Program string `json:"program"`
	Status  string `json:"status"`
	// Reason says why the process is not ready, or what it cannot do.
	Reason string `json:"reason,omitzero"`
}

func (a *admin) handler(reg *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, health{Program: program, Status: "ok"})
	})
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.HandleFunc("GET /status", a.status)
	if a.domainOf != nil {
		mux.HandleFunc("GET /domains/ask", a.ask)
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{Registry: reg}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("POST /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !a.asked(r) {
			http.Error(w, "This is not the host of the admin port: use its address, or allow the host with --admin-host.",
				http.StatusMisdirectedRequest)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// asked reports whether the Host of a request names this port: the address on which the request
// arrived, a name of this machine, or one that the operator configured. A page in the operator's
// browser can make any other name resolve to this port (DNS rebinding).
func (a *admin) asked(r *http.Request) bool {
	name := hostname(r.Host)
	given := func(host string) bool { return strings.EqualFold(host, name) }
	if loopbackHost(name) || slices.ContainsFunc(a.hosts, given) {
		return true
	}
	asked, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	own, err := netip.ParseAddrPort(local.String())
	return err == nil && own.Addr().Unmap() == asked.Unmap()
}

func (a *admin) readyz(w http.ResponseWriter, r *http.Request) {
	var reason string
	switch a.phase.Load() {
	case starting:
		reason = "starting"
	case draining:
		reason = "draining"
	default:
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		reason = a.trouble(ctx)
	}
	impaired := ""
	if reason == "" && a.impaired != nil {
		impaired = a.impaired()
	}
	switch {
	case reason != "" || impaired != "" && a.delivers:
		answer(w, http.StatusServiceUnavailable, health{program, "unavailable", cmp.Or(reason, impaired)})
	case impaired != "":
		answer(w, http.StatusOK, health{program, "degraded", impaired})
	default:
		answer(w, http.StatusOK, health{Program: program, Status: "ok"})
	}
}

func (a *admin) status(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), statusTimeout)
	defer cancel()
	v, err := fleet.Inspect(ctx, a.store)
	if err != nil {
		answer(w, http.StatusServiceUnavailable, health{program, "unavailable", "the database does not answer"})
		return
	}
	answer(w, http.StatusOK, v)
}

// ask says whether a proxy may order a certificate for ?domain=: 200 if it is a proved domain of a
// store, else 404.
func (a *admin) ask(w http.ResponseWriter, r *http.Request) {
	_, ok, err := a.domainOf(r.Context(), r.URL.Query().Get("domain"))
	switch {
	case err != nil:
		answer(w, http.StatusServiceUnavailable, health{program, "unavailable", "the domain cannot be looked up"})
	case !ok:
		answer(w, http.StatusNotFound, health{program, "unknown", "no store has this domain"})
	default:
		answer(w, http.StatusOK, health{Program: program, Status: "ok"})
	}
}

// trouble returns what keeps the process from serving, or "".
func (a *admin) trouble(ctx context.Context) string {
	if err := a.store.Ping(ctx); err != nil {
		return "the database does not answer"
	}
	if a.current.Load() {
		return ""
	}
	st, err := migrate.Check(ctx, a.store)
	switch {
	case err != nil:
		return "the migrations cannot be read"
	case len(st.Pending) > 0:
		return "migrations are pending"
	}
	a.current.Store(true)
	return ""
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	b, err := json.Marshal(body)
	if err != nil {
		return // strings always marshal
	}
	w.Write(append(b, '\n'))
}
