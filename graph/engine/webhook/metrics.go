package webhook

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/engine/work"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

type metrics struct {
	relayed  prometheus.Counter
	aside    prometheus.Counter
	lost     prometheus.Counter
	skew     prometheus.Gauge
	attempts *prometheus.CounterVec
	latency  prometheus.Histogram
	conns    *prometheus.CounterVec
	panics   prometheus.CounterFunc
	troubles *prometheus.CounterVec

	guard sync.Mutex
	slots map[slotKey]*slot // counts since the last flush
}

// prefix begins the name of every metric.
const prefix = "storefront_webhook_"

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: prefix + name, Help: help})
}

func counterVec(name, help, label string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help}, []string{label})
}

func newMetrics(guard *work.Guard) *metrics {
	m := &metrics{
		relayed: counter("events_relayed_total", "Events that left the outbox."),
		aside:   counter("events_set_aside_total", "Events that could not be relayed and wait for the operator."),
		lost:    counter("leases_lost_total", "Queues that this process lost before it gave them back."),
		skew: prometheus.NewGauge(prometheus.GaugeOpts{Name: prefix + "clock_skew_seconds",
			Help: "How far the database's time of day is ahead of this machine's."}),
		attempts: counterVec("attempts_total", "Attempts that have ended, by outcome.", "outcome"),
		latency: prometheus.NewHistogram(prometheus.HistogramOpts{Name: prefix + "acknowledged_seconds",
			Help:    "Time from an event's commit to the receiver's 2xx.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60, 600, 3600, 86400}}),
		conns: counterVec("connections_total", "Attempts by the connection they used: new or reused.", "connection"),
		panics: prometheus.NewCounterFunc(prometheus.CounterOpts{Name: prefix + "panics_total",
			Help: "Attempts and rounds of background work that panicked."},
			func() float64 { return float64(guard.Panics()) }),
		troubles: counterVec("sender_troubles_total",
			"Attempts that this machine could not begin, by missing resource.", "kind"),
		slots: map[slotKey]*slot{},
	}
	for _, t := range egress.Troubles() {
		m.troubles.WithLabelValues(string(t))
	}
	for _, o := range attempt.Outcomes() {
		m.attempts.WithLabelValues(string(o))
	}
	return m
}

// Register registers the engine's metrics.
func (e *Engine) Register(reg prometheus.Registerer) error {
	m := e.metrics
	for _, c := range []prometheus.Collector{
		m.relayed, m.aside, m.lost, m.skew, m.attempts, m.latency, m.conns, m.panics, m.troubles, backlog{e},
	} {
		if err := reg.Register(c); err != nil {
			return fmt.Errorf("register the metrics of webhooks: %w", err)
		}
	}
	return nil
}

const slotTime = 5 * time.Minute

type slotKey struct {
	schedule.Key
	at micros.Time
}

type slot struct{ delivered, failed, sum, longest int64 }

func (s *settler) count(batch []*outcome) {
	s.metrics.guard.Lock()
	defer s.metrics.guard.Unlock()
	for _, o := range batch {
		r := o.result
		s.metrics.attempts.WithLabelValues(string(r.Outcome)).Inc()
		if o.Verdict == schedule.Cancelled || o.Verdict == schedule.Noted {
			continue
		}
		connection := "new"
		if r.Reused {
			connection = "reused"
		}
		s.metrics.conns.WithLabelValues(connection).Inc()
		k := slotKey{o.Queue.Key, o.At - o.At%micros.Time(slotTime.Microseconds())}
		one := s.metrics.slots[k]
		if one == nil {
			one = new(slot)
			s.metrics.slots[k] = one
		}
		if o.Verdict != schedule.Done {
			one.failed++
			continue
		}
		took := r.Duration.Microseconds()
		one.delivered, one.sum, one.longest = one.delivered+1, one.sum+took, max(one.longest, took)
		s.metrics.latency.Observe((time.Duration(o.At-o.Item.Event.Time()) * time.Microsecond).Seconds())
	}
}

// countLoop flushes the counts to the database every 5 s, until ctx ends.
func (s *settler) countLoop(ctx context.Context) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for wait(ctx, nil, tick.C) {
		s.report(ctx, "count attempts", s.flush(ctx))
	}
	s.report(ctx, "count attempts", s.flush(context.WithoutCancel(ctx)))
}

// flush adds the counts of every slot to the database, with the last success of each endpoint.
func (s *settler) flush(ctx context.Context) error {
	s.metrics.guard.Lock()
	slots := s.metrics.slots
	s.metrics.slots = map[slotKey]*slot{}
	s.metrics.guard.Unlock()
	keys := slices.SortedFunc(maps.Keys(slots), func(a, b slotKey) int { return a.Compare(b.Key) })
	var errs []error
	for part := range ent.ByShard(s.Store, keys, func(k slotKey) xid.ID { return k.Store }) {
		for some := range slices.Chunk(part, leaseBatch) {
			if err := s.addSlots(ctx, some, slots); err != nil {
				errs = append(errs, fmt.Errorf("add counts: %w", err))
				break
			}
		}
	}
	return errors.Join(errs...)
}

func (s *settler) addSlots(ctx context.Context, keys []slotKey, slots map[slotKey]*slot) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		var args, alive []any
		for _, k := range keys {
			one := slots[k]
			args = append(args, k.Store, k.Endpoint, k.at, one.delivered, one.failed, one.sum, one.longest)
			if one.delivered > 0 {
				alive = append(alive, k.Store, k.Endpoint)
			}
		}
		if _, err := s.exec(ctx,
			"INSERT INTO endpoint_stats (store_id, id, slot, delivered, failed, latency_sum, latency_max)"+
				values(len(keys), 7)+ent.Accumulate(s.Store.Dialect(), "store_id, id, slot",
				[]string{"delivered", "failed", "latency_sum"}, "latency_max"), args...); err != nil {
			return err
		}
		if len(alive) == 0 {
			return nil
		}
		_, err := s.exec(ctx,
			"UPDATE webhook_queues SET last_success_at = ? WHERE "+s.among("store_id, id", len(alive)/2),
			append([]any{micros.Now()}, alive...)...)
		return err
	})
}

// backlog collects metrics of the rows that wait in the database. Each reads a bounded part.
type backlog struct{ *Engine }

const maxCounted = 100_000

func gaugeDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+name, help, labels, nil)
}

var (
	outboxLag    = gaugeDesc("outbox_lag_seconds", "Age of the oldest event of the outbox, by a sample of 1,000.")
	queueDepth   = gaugeDesc("queue_depth", "Deliveries that wait or are held; counted up to 100,000.")
	queueOldest  = gaugeDesc("queue_oldest_seconds", "Age of the oldest waiting delivery, by a sample of 1,000.")
	queueOverdue = gaugeDesc("queue_overdue_seconds", "How long the queue that is longest due has waited for an owner.")
	setAside     = gaugeDesc("events_set_aside", "Events that were set aside and not put back; counted up to 100,000.")
	suspended    = gaugeDesc("endpoints_suspended", "Endpoints that are suspended.")
	leasedNow    = gaugeDesc("queues_leased", "Queues that this process owns.")
	inflightNow  = gaugeDesc("attempts_in_flight", "Attempts of this process that have not ended.")
	inflightMost = gaugeDesc("attempts_in_flight_max", "Maximum number of attempts in flight in this process.")

	// The class label is how receivers answer: unknown, fast, slow or failing.
	classQueues   = gaugeDesc("class_queues", "Queues of this process, by behavior of their receivers.", "class")
	classInflight = gaugeDesc("class_attempts_in_flight", "Attempts in flight, by behavior of receivers.", "class")
	classWaiting  = gaugeDesc("class_waiting", "Deliveries in memory that may be sent, by behavior of receivers.", "class")
)

// Describe implements prometheus.Collector.
func (backlog) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		outboxLag, queueDepth, queueOldest, queueOverdue, setAside, suspended, leasedNow, inflightNow,
		inflightMost, classQueues, classInflight, classWaiting,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector. Metrics that cannot be read are left out.
func (b backlog) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	m := b.machine.lock()
	leased, inflight := m.Len(), m.Inflight()
	loads := m.Loads(b.now())
	b.machine.unlock()
	for i, l := range loads {
		class := schedule.Class(i).String()
		gauge(classQueues, float64(l.Queues), class)
		gauge(classInflight, float64(l.Inflight), class)
		gauge(classWaiting, float64(l.Waiting), class)
	}
	gauge(leasedNow, float64(leased))
	gauge(inflightNow, float64(inflight))
	gauge(inflightMost, float64(b.Slots))
	now, clock := b.clock()
	for _, q := range []struct {
		desc  *prometheus.Desc
		query string
		args  []any
		age   bool
		sum   bool // add the shards up; otherwise take the largest
	}{
		{outboxLag, "SELECT MIN(id) FROM (SELECT id FROM outbox WHERE " + bucket.Every +
			" AND store_id >= ? LIMIT 1000) t", []any{xid.Nil}, true, false},
		{queueDepth, fmt.Sprintf("SELECT COUNT(*) FROM (SELECT 1 FROM deliveries WHERE store_id >= ? LIMIT %d) t",
			maxCounted), []any{xid.Nil}, false, true},
		{queueOldest, "SELECT MIN(id) FROM (SELECT id FROM deliveries WHERE store_id >= ? LIMIT 1000) t",
			[]any{xid.Nil}, true, false},
		{queueOverdue, "SELECT COALESCE(MAX(" + now + " - due_at), 0) / 1000000.0 FROM webhook_queues WHERE " +
			bucket.Every + " AND due_at > 0 AND due_at <= " + now + " AND store_id >= ?",
			append(append(clock, clock...), xid.Nil), false, false},
		{setAside, fmt.Sprintf("SELECT COUNT(*) FROM (SELECT 1 FROM outbox_failures WHERE store_id >= ? LIMIT %d) t",
			maxCounted), []any{xid.Nil}, false, true},
		{suspended, "SELECT COUNT(*) FROM webhook_endpoints WHERE store_id >= ? AND status = ? AND deleted_at IS NULL",
			[]any{xid.Nil, string(state.EndpointSuspended)}, false, true},
	} {
		v, err := ent.Gather(ctx, b.Store, func(ctx context.Context) ([]float64, error) {
			v, err := b.figure(ctx, q.query, q.args, q.age)
			return []float64{v}, err
		})
		if err == nil {
			gauge(q.desc, combine(v, q.sum))
		}
	}
}

func combine(list []float64, sum bool) (v float64) {
	if !sum {
		return slices.Max(list)
	}
	for _, one := range list {
		v += one
	}
	return v
}

// figure reads one number of a shard, or the age of an id in seconds.
func (e *Engine) figure(ctx context.Context, query string, args []any, age bool) (v float64, err error) {
	err = e.seek(ctx, query, args, func(rs *stdsql.Rows) error {
		if !age {
			return rs.Scan(&v)
		}
		var id *xid.ID
		if err := rs.Scan(&id); err != nil || id == nil {
			return err
		}
		v = time.Since(id.Time().Time()).Seconds()
		return nil
	})
	return v, err
}
