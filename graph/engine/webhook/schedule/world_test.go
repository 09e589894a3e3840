package schedule

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// world is a minimal environment of a machine: rows, receivers and a clock. Each of its steps may
// happen at any time.
type world struct {
	t    testing.TB
	rand *rand.Rand
	m    *Machine
	now  time.Time
	ends []*endpoint

	jobs    []Job
	settles []*Outcome
	reads   []Read
	calm    bool // nothing fails any more
}

// endpoint is the rows of an endpoint, and what its receiver got.
type endpoint struct {
	row     Row
	key     Key
	due     micros.Time
	queue   *Queue         // if this process has the lease
	waiting map[int64]Item // the deliveries
	of      map[int64]xid.ID
	sent    map[int64]bool // by sequence: an attempt was made
	ended   map[int64]bool // it was accepted, given up or skipped
	missed  int            // events in the log for it
}

const resources = 3

func newWorld(t testing.TB, seed uint64) *world {
	w := &world{t: t, rand: rand.New(rand.NewPCG(seed, 1)), now: time.Now()}
	w.m = New(Config{Slots: 16, Window: 8, Linger: time.Second, SendWithin: 2500 * time.Millisecond,
		LoseAfter: 5 * time.Second,
		Chance:    w.rand.Float64})
	for range 4 {
		w.ends = append(w.ends, &endpoint{key: Key{xid.New(), xid.New()}, due: micros.Max, waiting: map[int64]Item{},
			of: map[int64]xid.ID{}, sent: map[int64]bool{}, ended: map[int64]bool{}})
	}
	return w
}

// steps are the possible events.
var steps = []func(*world, *endpoint){
	(*world).write, (*world).write, (*world).lease, (*world).lease, (*world).renew, (*world).renew,
	(*world).startReads, (*world).startReads, (*world).endReads, (*world).endReads,
	(*world).send, (*world).send, (*world).send, (*world).complete, (*world).complete, (*world).complete,
	(*world).settle, (*world).settle, (*world).wait, (*world).wait, (*world).release,
	(*world).skip, (*world).hurry, (*world).lose, (*world).retire, (*world).miss, (*world).miss,
}

func (w *world) step(n byte) {
	w.rand.Uint64()
	steps[int(n)%len(steps)](w, w.ends[w.rand.IntN(len(w.ends))])
	w.check()
}

func (w *world) chance(percent int) bool { return w.rand.IntN(100) < percent }

// add creates deliveries at the end of a queue's rows.
func (w *world) add(e *endpoint, n int) []*Item {
	var items []*Item
	for range n {
		e.row.Last++
		it := Item{Sequence: e.row.Last, ID: xid.New(), Event: xid.New(), Kind: event.ProductUpdated,
			Resource: xid.First(micros.Time(1 + w.rand.IntN(resources))), Body: make([]byte, w.rand.IntN(4000))}
		e.waiting[it.Sequence], e.of[it.Sequence] = it, it.Resource
		items = append(items, &it)
	}
	return items
}

// write adds deliveries by a relay; that of this process appends them in memory.
func (w *world) write(e *endpoint) {
	last, wake := e.row.Last, e.row.Wake
	items := w.add(e, 1+w.rand.IntN(5))
	e.row.Wake++
	if e.queue == nil {
		e.due = min(e.due, micros.Of(w.now)) // otherwise it is due when the lease ends
	}
	if q := w.m.Find(e.key); q != nil && w.chance(70) && w.m.Raised(q, wake, last, len(items)) && w.chance(80) {
		w.m.Append(q, items, w.now)
	}
}

// lease takes a due queue.
func (w *world) lease(e *endpoint) {
	if e.queue != nil && e.queue.held() || e.due > micros.Of(w.now) || w.m.Find(e.key) != nil {
		return
	}
	e.row.Token++
	e.due = micros.Of(w.now).Add(6 * time.Second)
	e.queue = w.m.Enter(e.key, e.row, w.now, w.now)
}

// renew renews every lease that has not ended.
func (w *world) renew(*endpoint) {
	for _, e := range w.ends {
		q := w.m.Find(e.key)
		switch {
		case q == nil:
		case e.queue != q || q.Token != e.row.Token:
			w.m.Lose(q)
		default:
			w.m.Renewed(q, e.row, w.now, w.now)
			e.due = micros.Of(w.now).Add(6 * time.Second)
		}
	}
}

// lose gives the queue to another process, which then dies.
func (w *world) lose(e *endpoint) {
	if w.calm || w.chance(70) {
		return
	}
	e.row.Token++
	e.queue, e.due = nil, micros.Of(w.now).Add(6*time.Second)
}

// retire takes an endpoint out of service and back.
func (w *world) retire(e *endpoint) {
	if w.calm || w.chance(70) {
		return
	}
	e.row.Token, e.row.Epoch, e.row.Wake = e.row.Token+1, e.row.Epoch+1, e.row.Wake+1
	e.row.Streak, e.row.Probe = 0, 0
	if q := w.m.Find(e.key); q != nil {
		w.m.Retire(q)
	}
	e.queue, e.due = nil, 0
}

// any returns a waiting delivery, or false.
func (w *world) any(e *endpoint) (Item, bool) {
	if len(e.waiting) == 0 || w.calm {
		return Item{}, false
	}
	all := slices.Sorted(maps.Keys(e.waiting))
	return e.waiting[all[w.rand.IntN(len(all))]], true
}

func (w *world) nudge(e *endpoint) {
	e.row.Epoch, e.row.Wake = e.row.Epoch+1, e.row.Wake+1
	if e.queue == nil {
		e.due = 0
	}
}

func (w *world) skip(e *endpoint) {
	if it, ok := w.any(e); ok && w.chance(30) {
		delete(e.waiting, it.Sequence)
		e.ended[it.Sequence] = true
		w.nudge(e)
	}
}

func (w *world) hurry(e *endpoint) {
	if it, ok := w.any(e); ok {
		it.Due = micros.Of(w.now)
		e.waiting[it.Sequence] = it
		w.nudge(e)
	}
}

// miss gives an endpoint events to catch up with.
func (w *world) miss(e *endpoint) {
	if e.row.Missed == nil && !w.calm {
		e.missed, e.row.Missed = e.missed+1+w.rand.IntN(9), new(xid.First(1))
		w.nudge(e)
	}
}

// wait advances the time. Leases that are too old are lost, sometimes a bit later.
func (w *world) wait(*endpoint) {
	d := time.Duration(w.rand.Int64N(int64(1500 * time.Millisecond)))
	if w.chance(5) {
		d += time.Duration(w.rand.Int64N(int64(10 * time.Hour)))
	}
	w.now = w.now.Add(d)
	for _, q := range w.m.Queues() {
		if w.now.Sub(q.renewed) >= w.m.LoseAfter && w.chance(80) {
			w.m.Lose(q)
		}
	}
	w.m.Tick(w.now)
}

func (w *world) startReads(*endpoint) {
	if len(w.reads) == 0 {
		w.reads = w.m.Reads(1+w.rand.IntN(4), w.chance(40), w.now)
	}
}

func (w *world) of(k Key) *endpoint {
	return w.ends[slices.IndexFunc(w.ends, func(e *endpoint) bool { return e.key == k })]
}

// endReads reads the present rows. Some reads fail.
func (w *world) endReads(*endpoint) {
	for _, r := range w.reads {
		if e := w.of(r.Queue.Key); w.calm || w.chance(90) {
			w.read(e, r)
		}
	}
	w.m.ReadDone(w.reads, w.now)
	w.reads = nil
}

func (w *world) read(e *endpoint, r Read) {
	limit, before := 2+w.rand.IntN(20), int64(1<<62)
	if r.Source == OneLane {
		limit, before = LaneRows, r.Before
	}
	var items []*Item
	for _, s := range slices.Sorted(maps.Keys(e.waiting)) {
		it := e.waiting[s]
		if len(items) < limit && s >= r.From && s < before && (r.Source == Rows || it.Resource == r.Resource) {
			items = append(items, &it)
		}
	}
	switch r.Source {
	case Rows:
		w.m.Admit(r, items, len(items) < limit, w.now)
	case OneLane:
		w.m.Refill(r, items, w.now)
	case Events:
		w.catchUp(e, r)
	}
}

// catchUp creates deliveries of events, by compare-and-set on the wake counter.
func (w *world) catchUp(e *endpoint, r Read) {
	switch {
	case e.queue != r.Queue || e.row.Token != r.Queue.Token:
		w.m.Lose(r.Queue)
	case e.row.Wake != r.Wake:
		w.m.Reread(r.Queue, e.row, w.now)
	default:
		n := min(e.missed, 4)
		w.add(e, n)
		e.row.Wake++
		if e.missed -= n; e.missed == 0 {
			e.row.Missed = nil
		}
		w.m.Extended(r, n, e.row.Missed)
	}
}

// send starts attempts, and checks the order of each.
func (w *world) send(*endpoint) {
	for range 1 + w.rand.IntN(8) {
		j, ok := w.m.Next(w.now)
		if !ok {
			return
		}
		w.checkOrder(j)
		w.jobs = append(w.jobs, j)
	}
}

// complete ends an attempt.
func (w *world) complete(*endpoint) {
	if len(w.jobs) == 0 {
		return
	}
	i := w.rand.IntN(len(w.jobs))
	j := w.jobs[i]
	w.jobs = slices.Delete(w.jobs, i, i+1)
	r := Result{End: Delivered, Began: micros.Of(w.now)}
	if !w.calm && w.chance(50) {
		r.End = []End{Failed, Failed, Failed, Void, Unsent, Interrupted}[w.rand.IntN(6)]
	}
	if r.End == Delivered {
		w.of(j.Queue.Key).ended[j.Item.Sequence] = true
	}
	if o, ok := w.m.Complete(j, r, w.now); ok {
		w.settles = append(w.settles, &o)
		if o.Verdict == Cancelled {
			w.of(j.Queue.Key).ended[j.Item.Sequence] = true
		}
	}
}

// settle saves some outcomes, in order.
func (w *world) settle(*endpoint) {
	n := min(len(w.settles), 1+w.rand.IntN(6))
	for _, o := range w.settles[:n] {
		w.save(w.of(o.Queue.Key), o)
		w.m.Settled(o, w.now)
	}
	w.settles = slices.Delete(w.settles, 0, n)
}

func (w *world) save(e *endpoint, o *Outcome) {
	s := o.Item.Sequence
	if e.queue == o.Queue && e.row.Token == o.Queue.Token {
		e.row.Health = o.Health
	}
	switch o.Verdict {
	case Done, Cancelled:
		delete(e.waiting, s)
	case Retry:
		if it, ok := e.waiting[s]; ok && it.Attempts == o.Attempts-1 {
			it.Attempts, it.Tries, it.First, it.Due = o.Attempts, o.Tries, o.First, o.Due
			e.waiting[s] = it
		}
	case Exhausted:
		delete(e.waiting, s)
		e.ended[s] = true
		suspended := w.chance(50) && e.queue == o.Queue && e.row.Token == o.Queue.Token
		w.m.GaveUp(o, suspended)
		if suspended {
			e.row.Token++
			e.queue, e.due = nil, 0 // a person reactivates it at once
		}
	}
}

// release releases queues whose counter is still the same.
func (w *world) release(*endpoint) {
	list := w.m.Releases(w.now)
	for _, due := range slices.Sorted(maps.Keys(list)) {
		for _, r := range list[due] {
			e := w.of(r.Queue.Key)
			if w.chance(30) {
				w.write(e)
			}
			switch {
			case e.queue != r.Queue || e.row.Token != r.Queue.Token:
				w.m.Released(r.Queue)
			case e.row.Wake != r.Wake:
				w.m.Kept(r.Queue, &e.row, w.now)
			default:
				e.queue, e.due = nil, due
				if w.chance(30) {
					w.write(e)
				}
				w.m.Released(r.Queue)
			}
		}
	}
}

// smallest returns the first of a resource's deliveries that has not ended.
func (e *endpoint) smallest(resource xid.ID) int64 {
	first := int64(1 << 62)
	for s, r := range e.of {
		if r == resource && !e.ended[s] {
			first = min(first, s)
		}
	}
	return cmp.Or(first, 0)
}
