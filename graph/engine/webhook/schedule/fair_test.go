package schedule

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// receiver is how an endpoint of a [town] answers: after a time, with an end.
type receiver struct {
	queue *Queue
	rate  time.Duration // between two of its events
	bad   time.Duration // when it starts to answer as below; until then it answers as a healthy one
	after time.Duration
	end   End
}

// healthy reports whether a receiver always answers in 10 ms.
func (r *receiver) healthy() bool { return r.end == Delivered && r.after == quickly }

const (
	quickly = 10 * time.Millisecond
	// prompt is the longest time from an event to its attempt for healthy receivers.
	prompt = 100 * time.Millisecond
)

// town is a machine with many receivers in simulated time, in which only answers take time. A heap
// holds the future.
type town struct {
	t     testing.TB
	m     *Machine
	start time.Time
	now   time.Duration
	all   map[*Queue]*receiver
	queue happenings
	made  map[*Item]time.Duration // the time of its event
	worst time.Duration           // wait of a delivery to a healthy receiver

	// Outcomes are saved in consecutive batches, each of which takes that long; 0: no time.
	writing  time.Duration
	outcomes []*Outcome
}

// settled is how many outcomes one batch saves.
const settled = 64

type happening struct {
	at time.Duration
	do func()
}

type happenings []happening

func (h happenings) Len() int           { return len(h) }
func (h happenings) Less(i, j int) bool { return h[i].at < h[j].at }
func (h happenings) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *happenings) Push(x any)        { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func newTown(t testing.TB, slots int) *town {
	return &town{t: t, start: time.Now(), all: map[*Queue]*receiver{}, made: map[*Item]time.Duration{},
		m: New(Config{Slots: slots, Window: 32, Linger: time.Hour, SendWithin: 1 << 60, LoseAfter: 1 << 61})}
}

func (w *town) time() time.Time { return w.start.Add(w.now) }

func (w *town) at(d time.Duration, do func()) { heap.Push(&w.queue, happening{w.now + d, do}) }

// add registers a receiver in a store. Its events begin at a random time.
func (w *town) add(store xid.ID, r receiver) *receiver {
	r.queue = w.m.Enter(Key{store, xid.New()}, Row{}, w.time(), w.time())
	w.all[r.queue] = &r
	w.at(time.Duration(rand.Int64N(int64(r.rate))), func() { w.write(&r) })
	return &r
}

// write creates the next event of a receiver, of a resource of its own.
func (w *town) write(r *receiver) {
	w.deliver(r, 1)
	w.at(r.rate, func() { w.write(r) })
}

func (w *town) deliver(r *receiver, n int) {
	q := r.queue
	items := make([]*Item, n)
	for i := range items {
		items[i] = &Item{Sequence: q.row.Last + 1 + int64(i), ID: xid.New(), Event: xid.New(), Resource: xid.New(),
			Kind: event.ProductUpdated, Body: make([]byte, 100)}
		w.made[items[i]] = w.now
	}
	if w.m.Raised(q, q.row.Wake, q.row.Last, n) {
		w.m.Append(q, items, w.time())
	}
	w.send()
}

// send starts every attempt that may start.
func (w *town) send() {
	for {
		j, ok := w.m.Next(w.time())
		if !ok {
			return
		}
		r := w.all[j.Queue]
		if r.healthy() {
			w.worst = max(w.worst, w.now-w.made[j.Item])
		}
		after, end := quickly, Delivered
		if w.now >= r.bad {
			after, end = r.after, r.end
		}
		w.at(after, func() { w.complete(j, end) })
	}
}

func (w *town) complete(j Job, end End) {
	o, ok := w.m.Complete(j, Result{End: end, Began: micros.Of(w.time())}, w.time())
	switch {
	case ok && w.writing == 0:
		w.m.Settled(&o, w.time())
	case ok:
		if w.outcomes = append(w.outcomes, &o); len(w.outcomes) == 1 {
			w.at(w.writing, w.settle)
		}
	}
	w.send()
}

// settle ends a batch of outcomes and begins the next.
func (w *town) settle() {
	n := min(len(w.outcomes), settled)
	for _, o := range w.outcomes[:n] {
		w.m.Settled(o, w.time())
	}
	if w.outcomes = w.outcomes[n:]; len(w.outcomes) > 0 {
		w.at(w.writing, w.settle)
	}
	w.send()
}

// run advances the time.
func (w *town) run(until time.Duration) {
	for {
		alarm := w.m.Tick(w.time())
		w.send()
		w.now = min(w.now+alarm, until)
		if w.now = min(w.now, w.queue[0].at); w.now == until {
			return
		}
		for w.queue[0].at <= w.now {
			heap.Pop(&w.queue).(happening).do()
		}
	}
}

// TestHealthyNeverWait: with any mix of receivers that hang, are slow or fail, from the beginning
// or suddenly, up to nine of ten, a delivery to a healthy receiver is sent within [prompt] of its
// event.
func TestHealthyNeverWait(t *testing.T) {
	seeds := 20
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		n := 20 + r.IntN(500)
		w := newTown(t, 2*n+r.IntN(2000))
		stores := make([]xid.ID, 1+r.IntN(30))
		for i := range stores {
			stores[i] = xid.New()
		}
		bad := r.IntN(91)
		for range n {
			v := receiver{rate: time.Duration(30+r.IntN(500)) * time.Millisecond, after: quickly, end: Delivered}
			if r.IntN(100) < bad {
				v.bad = []time.Duration{0, 3 * time.Second}[r.IntN(2)]
				v.after = []time.Duration{0, slowAfter, 18 * slowAfter, 5 * time.Second}[r.IntN(4)]
				v.end = []End{Failed, Delivered}[r.IntN(2)]
			}
			w.add(stores[r.IntN(len(stores))], v)
		}
		w.run(15 * time.Second)
		if w.worst > prompt {
			t.Errorf("seed %d: %d endpoints of %d stores, %d %% bad, %d slots: one waited %s", seed, n, len(stores), bad,
				w.m.Slots, w.worst)
		}
	}
}

// TestSlowLog: while outcomes are saved more slowly than attempts end, as for recovering backlogs,
// a single event is still sent within [prompt], and no more outcomes wait than allowed.
func TestSlowLog(t *testing.T) {
	w := newTown(t, 1000)
	w.writing = 14 * time.Millisecond
	for range 100 {
		w.deliver(w.add(xid.New(), receiver{rate: 1e4 * time.Hour, after: 2 * quickly, end: Delivered}), 200)
	}
	for range 10 {
		w.add(xid.New(), receiver{rate: 200 * time.Millisecond, after: quickly, end: Delivered})
	}
	most := 0
	for second := range 6 {
		w.run(time.Duration(second) * time.Second)
		most = max(most, w.m.unsettled)
	}
	if w.worst > prompt || most > maxUnsettledInAll || most < maxUnsettledInAll/2 {
		t.Errorf("a delivery waited %s, and %d outcomes were unsaved", w.worst, most)
	}
}

// TestSharesAreEven: stores and queues that want more slots than there are hold about equally many,
// however many endpoints a store has; those that want few get them.
func TestSharesAreEven(t *testing.T) {
	for _, c := range []struct {
		queues []int // of each store
		least  int   // slots of each store that wants more
	}{
		{queues: []int{1, 1}, least: 32},         // no more than a window each
		{queues: []int{400, 400}, least: 250},    // half of what is left beside the free ones
		{queues: []int{900, 40, 40}, least: 170}, // many queues of one store count as one store
		{queues: []int{900, 3}, least: 90},       // the small store has three windows
	} {
		w := newTown(t, 1000)
		var stores []xid.ID
		for _, n := range c.queues {
			stores = append(stores, xid.New())
			for range n {
				w.deliver(w.add(stores[len(stores)-1], receiver{rate: 1e4 * time.Hour, after: 4500 * time.Millisecond,
					end: Delivered}), 200)
			}
		}
		w.run(40 * time.Second)
		for i, id := range stores {
			if held := w.m.stores[id].inflight; held < c.least {
				t.Errorf("%v: store %d holds %d slots, want %d or more", c.queues, i, held, c.least)
			}
		}
		if w.m.inflight > w.m.Slots-w.m.Slots/reserve {
			t.Errorf("%v: %d in flight: slow receivers use the reserve", c.queues, w.m.inflight)
		}
	}
}

// TestFewQueuesUseFewSlots: a small process with some slow receivers uses most of its slots,
// whether these belong to one store or to several.
func TestFewQueuesUseFewSlots(t *testing.T) {
	for _, stores := range []int{1, 6} {
		w := newTown(t, 32)
		ids := make([]xid.ID, stores)
		for i := range 6 {
			if i < stores {
				ids[i] = xid.New()
			}
			w.deliver(w.add(ids[i%stores], receiver{rate: 1e4 * time.Hour, after: 300 * time.Millisecond,
				end: Delivered}), 5000)
		}
		w.run(20 * time.Second)
		if n := w.m.inflight; n < 16 {
			t.Errorf("%d stores: %d of 32 slots are used, want half or more", stores, n)
		}
	}
}

// TestReducedLimit: a process that could not begin an attempt has fewer in flight, and more again
// with each success.
func TestReducedLimit(t *testing.T) {
	w := newTown(t, 100)
	for range 60 {
		w.add(xid.New(), receiver{rate: 1e4 * time.Hour, after: time.Second, end: Delivered})
	}
	for _, r := range w.all {
		w.deliver(r, 3)
	}
	before := w.m.Inflight()
	w.m.ReduceLimit(w.time())
	w.m.ReduceLimit(w.time())
	if w.m.limit != before*3/4 {
		t.Errorf("%d in flight, and then up to %d", before, w.m.limit)
	}
	w.run(time.Minute)
	if w.m.limit != 100 || !w.m.Idle() {
		t.Errorf("up to %d in flight, %d are", w.m.limit, w.m.Inflight())
	}
}

// TestRate: as many attempts begin in a second as the rate limit allows, and no more.
func TestRate(t *testing.T) {
	w := newTown(t, 100)
	r := w.add(xid.New(), receiver{rate: 1e4 * time.Hour, after: quickly, end: Delivered})
	r.queue.row.Rate = 5
	w.deliver(r, 200)
	for second := range 10 {
		w.run(time.Duration(second)*time.Second + 990*time.Millisecond)
		sent := 200 - len(r.queue.lanes) + w.m.Inflight()
		if most := 5*second + 10; sent > most || sent < most-2 {
			t.Fatalf("%d attempts began in %d seconds", sent, second+1)
		}
	}
}

// TestPausedByAPerson: during a pause nothing is sent, and the queue is released until its end;
// then everything goes on by itself.
func TestPausedByAPerson(t *testing.T) {
	w := newTown(t, 100)
	r := w.add(xid.New(), receiver{rate: 1e4 * time.Hour, after: quickly, end: Delivered})
	until := micros.Of(w.time()).Add(time.Hour)
	r.queue.row.Paused = until
	w.m.setAlarms(r.queue, w.time())
	w.deliver(r, 20)
	if w.m.Inflight() != 0 || w.m.Reads(1, false, w.time()) != nil {
		t.Error("something is sent or read during a pause")
	}
	w.m.Releases(w.time())
	w.m.Linger = 0
	if list := w.m.Releases(w.time()); len(list[until]) != 1 {
		t.Fatalf("released: %v", list)
	}
	w.m.Kept(r.queue, nil, w.time())
	w.run(time.Hour + time.Second)
	if len(r.queue.lanes) != 0 {
		t.Errorf("%d wait after the pause", len(r.queue.lanes))
	}
}
