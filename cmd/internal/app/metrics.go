package app

import (
	"context"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/index/search"
	"github.com/storefront-go/storefront/graph/engine/session"
)

// newRegistry creates the metrics of the runtime, the process, the build and the database.
func newRegistry(s *ent.Store, b Build, rejected func() uint64) (*prometheus.Registry, error) {
	reg, words := prometheus.NewRegistry(), search.NewKeeper(s)
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "storefront_build_info", Help: "The version that runs; the value is always 1.",
			ConstLabels: prometheus.Labels{
				"version": b.Version, "revision": b.Revision, "go_version": runtime.Version(),
			},
		}, func() float64 { return 1 }),
		counter("storefront_cursor_rejections_total", "Cursors that did not open and were taken as absent.", rejected),
		counter("storefront_db_statements_total", "Statements sent to the database.", s.Statements),
		retries{s},
		pools{s},
		sampled{wordsPending, func(ctx context.Context) (float64, error) {
			age, err := words.Age(ctx)
			return age.Seconds(), err
		}},
	} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return reg, nil
}

func signIns(read func() session.Counts) []prometheus.Collector {
	return []prometheus.Collector{
		counter("storefront_sign_ins_total", "Sessions that began.", func() uint64 { return read().SignedIn }),
		counter("storefront_sign_in_failures_total", "Wrong passwords, at the sign-in and where they are asked for again.",
			func() uint64 { return read().Refused }),
		counter("storefront_sign_ins_throttled_total", "Passwords that got no answer, after too many others.",
			func() uint64 { return read().Throttled }),
	}
}

func counter(name, help string, read func() uint64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
		func() float64 { return float64(read()) })
}

// retries counts repeated transactions by the class of the error that caused them.
type retries struct{ store *ent.Store }

var retried = prometheus.NewDesc("storefront_db_tx_retries_total",
	"Transactions that were begun anew, by class of error.", []string{"class"}, nil)

func (retries) Describe(out chan<- *prometheus.Desc) { out <- retried }

func (r retries) Collect(out chan<- prometheus.Metric) {
	for class, n := range r.store.Retries() {
		out <- prometheus.MustNewConstMetric(retried, prometheus.CounterValue, float64(n), class)
	}
}

type pools struct{ store *ent.Store }

func poolDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("storefront_db_pool_"+name, help, []string{"pool"}, nil)
}

var (
	poolMax   = poolDesc("max_connections", "Maximum number of open connections.")
	poolOpen  = poolDesc("open_connections", "Connections that are open.")
	poolBusy  = poolDesc("busy_connections", "Connections in use.")
	poolIdle  = poolDesc("idle_connections", "Connections that wait for work.")
	poolWaits = poolDesc("waits_total", "Number of waits for a connection.")
	poolWait  = poolDesc("wait_seconds_total", "Time spent waiting for connections.")
)

func (pools) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolMax, poolOpen, poolBusy, poolIdle, poolWaits, poolWait} {
		out <- d
	}
}

func (p pools) Collect(out chan<- prometheus.Metric) {
	for _, s := range p.store.Stats() {
		gauge := func(d *prometheus.Desc, v int) {
			out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), s.Name)
		}
		gauge(poolMax, s.MaxOpenConnections)
		gauge(poolOpen, s.OpenConnections)
		gauge(poolBusy, s.InUse)
		gauge(poolIdle, s.Idle)
		out <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(s.WaitCount), s.Name)
		out <- prometheus.MustNewConstMetric(poolWait, prometheus.CounterValue, s.WaitDuration.Seconds(), s.Name)
	}
}

var wordsPending = prometheus.NewDesc("storefront_search_pending_seconds",
	"Age of the oldest change whose words are not written yet, of all processes, by a sample of 1,000.", nil, nil)

// sampled collects a gauge with a query. It has no value while the database is down.
type sampled struct {
	desc *prometheus.Desc
	read func(context.Context) (float64, error)
}

func (s sampled) Describe(out chan<- *prometheus.Desc) { out <- s.desc }

func (s sampled) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if v, err := s.read(ctx); err == nil {
		out <- prometheus.MustNewConstMetric(s.desc, prometheus.GaugeValue, v)
	}
}
