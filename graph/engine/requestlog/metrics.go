package requestlog

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	written               prometheus.Counter
	dropped               *prometheus.CounterVec
	sampled, full, failed prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		written: prometheus.NewCounter(prometheus.CounterOpts{Name: "storefront_request_log_written_total",
			Help: "Rows written to the log of requests."}),
		dropped: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "storefront_request_log_dropped_total",
			Help: "Requests that were not logged: above the limits of a minute (sampled), queue full (full), or the " +
				"database refused (failed)."}, []string{"reason"}),
	}
	m.sampled, m.full, m.failed = m.dropped.WithLabelValues("sampled"), m.dropped.WithLabelValues("full"),
		m.dropped.WithLabelValues("failed")
	return m
}

// Register registers the log's metrics.
func (l *Log) Register(reg prometheus.Registerer) error {
	if err := reg.Register(l.metrics.written); err != nil {
		return err
	}
	return reg.Register(l.metrics.dropped)
}
