package export

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/engine/work"
)

type metrics struct {
	rows, bytes prometheus.Counter
	failures    prometheus.Counter
	panics      prometheus.CounterFunc
	jobs        *prometheus.CounterVec
	seconds     prometheus.Histogram
}

func newMetrics(g *work.Guard) *metrics {
	return &metrics{
		rows: prometheus.NewCounter(prometheus.CounterOpts{Name: "storefront_export_rows_total",
			Help: "Rows written to files of exports."}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{Name: "storefront_export_bytes_total",
			Help: "Bytes written to files of exports."}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{Name: "storefront_export_errors_total",
			Help: "Turns of export jobs that ended with an error."}),
		panics: prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "storefront_export_panics_total",
			Help: "Panics in the work on export jobs."},
			func() float64 { return float64(g.Panics()) }),
		jobs: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "storefront_exports_total",
			Help: "Export jobs that ended, by status."}, []string{"status"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "storefront_export_seconds",
			Help: "Time from the start of an export to its end.", Buckets: prometheus.ExponentialBuckets(0.05, 4, 9)}),
	}
}

func (m *metrics) wrote(rows, bytes int64) {
	m.rows.Add(float64(rows))
	m.bytes.Add(float64(bytes))
}

func (m *metrics) ended(status state.ExportStatus, took time.Duration) {
	m.jobs.WithLabelValues(string(status)).Inc()
	m.seconds.Observe(took.Seconds())
}

// Register registers the engine's metrics.
func (e *Engine) Register(reg prometheus.Registerer) error {
	running := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "storefront_exports_running",
		Help: "Export jobs that this process works on."},
		func() float64 { return float64(len(e.inWork())) })
	for _, c := range []prometheus.Collector{
		e.metrics.rows, e.metrics.bytes, e.metrics.failures, e.metrics.panics, e.metrics.jobs, e.metrics.seconds,
		running,
	} {
		if err := reg.Register(c); err != nil {
			return err
		}
	}
	return nil
}
