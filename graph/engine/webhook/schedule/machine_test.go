package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
)

// checkOrder checks that a new delivery is the first of its resource that has not ended, and is not
// under way already.
func (w *world) checkOrder(j Job) {
	w.t.Helper()
	e, s := w.of(j.Queue.Key), j.Item.Sequence
	if first := e.smallest(j.Item.Resource); !e.sent[s] && s > first {
		w.t.Fatalf("%d is sent before %d has ended", s, first)
	}
	for _, other := range w.jobs {
		if other.Queue == j.Queue && other.Item.Resource == j.Item.Resource {
			w.t.Fatalf("%d is sent while %d is in flight", s, other.Item.Sequence)
		}
	}
	for _, o := range w.settles {
		if o.Queue == j.Queue && o.Item.Sequence == s && o.Verdict != Retry && o.Verdict != Noted {
			w.t.Fatalf("%d is sent again before its outcome is saved", s)
		}
	}
	if j.Queue.state != Active || w.now.Sub(j.Queue.renewed) >= w.m.SendWithin {
		w.t.Fatalf("%d is sent by a %s queue with a lease %s old", s, j.Queue.state,
			w.now.Sub(j.Queue.renewed))
	}
	e.sent[s] = true
}

// check checks the machine's own counts.
func (w *world) check() {
	w.t.Helper()
	if len(w.jobs) != w.m.inflight {
		w.t.Fatalf("%d in flight, want %d", w.m.inflight, len(w.jobs))
	}
	bytes := 0
	for _, q := range w.m.queues {
		held, ready := 0, 0
		for _, l := range q.lanes {
			for _, it := range l.items {
				held += len(it.Body)
			}
			if l.due == 0 {
				ready += len(l.items)
			}
		}
		bytes += held
		if q.bytes != held || q.ready != ready || !q.held() {
			w.t.Fatalf("%s queue: %d bytes and %d ready, want %d and %d", q.state, q.bytes, q.ready, held, ready)
		}
		w.checkFlight(q)
	}
	if w.m.bytes != bytes {
		w.t.Fatalf("%d bytes, want %d", w.m.bytes, bytes)
	}
	for _, q := range w.m.Effects().Dropped {
		if q.held() || q.state == Retired && q.inflight > 0 {
			w.t.Fatalf("a %s queue was dropped with %d in flight", q.state, q.inflight)
		}
	}
}

// checkFlight checks that no more attempts are in flight than the window allows, and only one new
// delivery to a failing endpoint.
func (w *world) checkFlight(q *Queue) {
	w.t.Helper()
	inflight, fresh := 0, 0
	for _, j := range w.jobs {
		if j.Queue == q {
			inflight++
			if j.Item.Tries == 0 && j.probe {
				fresh++
			}
		}
	}
	if inflight != q.inflight || inflight > w.m.Window || q.window < 1 || q.window > w.m.Window {
		w.t.Fatalf("%d in flight of a window of %d, want %d", q.inflight, q.window, inflight)
	}
	if q.row.Streak > gateAt && fresh > slowStart {
		w.t.Fatalf("%d new deliveries in flight to a failing endpoint", fresh)
	}
}

// drained checks that everything is sent once nothing fails any more.
func (w *world) drained() {
	w.t.Helper()
	w.calm = true
	for range 4000 {
		left := len(w.jobs) + len(w.settles) + len(w.reads)
		for _, e := range w.ends {
			left += len(e.waiting) + e.missed
			w.lease(e)
		}
		if left == 0 && w.m.Idle() {
			return
		}
		for _, step := range []func(*world, *endpoint){(*world).renew, (*world).startReads, (*world).endReads,
			(*world).send, (*world).complete, (*world).complete, (*world).settle, (*world).wait, (*world).release} {
			step(w, w.ends[w.rand.IntN(len(w.ends))])
			w.check()
		}
	}
	for _, e := range w.ends {
		w.t.Logf("%d wait, of %d; due %v, queue %+v", len(e.waiting), e.row.Last, e.due, e.queue)
	}
	w.t.Fatal("something was lost")
}

// TestMachine runs random events in thousands of orders.
func TestMachine(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		w := newWorld(t, seed)
		for range 50 + w.rand.IntN(800) {
			w.step(byte(w.rand.Uint32()))
		}
		w.drained()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzMachine takes the events from its input.
func FuzzMachine(f *testing.F) {
	for seed := range uint64(4) {
		tape, r := make([]byte, 300), rand.New(rand.NewPCG(seed, 2))
		for i := range tape {
			tape[i] = byte(r.Uint32())
		}
		f.Add(seed, tape)
	}
	f.Fuzz(func(t *testing.T, seed uint64, tape []byte) {
		w := newWorld(t, seed)
		for _, n := range tape[:min(len(tape), 2000)] {
			w.step(n)
		}
		w.drained()
	})
}

// full returns a machine with queues that have enough to send, with bodies of a given size each.
func full(window int, sizes ...int) (*Machine, []*Queue) {
	now := time.Now()
	m := New(Config{Slots: 1 << 20, Window: window, Linger: time.Second, SendWithin: time.Hour,
		LoseAfter: 2 * time.Hour})
	var list []*Queue
	for _, size := range sizes {
		q := m.Enter(Key{xid.New(), xid.New()}, Row{Last: 1000}, now, now)
		items := make([]*Item, 1000)
		for i := range items {
			items[i] = &Item{Sequence: int64(i + 1), Resource: xid.New(), Kind: event.ProductUpdated,
				Body: make([]byte, size)}
		}
		list = append(list, q)
		m.Admit(Read{Queue: q, From: 1}, items, true, now)
	}
	return m, list
}

// TestTurnsAreFair: queues with enough to send get equally many bytes, whether their bodies are
// small or large.
func TestTurnsAreFair(t *testing.T) {
	m, list := full(1<<20, 100, 1000, 8000)
	bytes, now := map[*Queue]int{}, time.Now()
	for _, q := range list {
		q.window = 1 << 20
	}
	for range 300 {
		j, ok := m.Next(now)
		if !ok || len(j.Queue.fresh) == 0 {
			break
		}
		bytes[j.Queue] += overhead + len(j.Item.Body)
		m.Complete(j, Result{End: Delivered}, now)
	}
	least, most := 1<<62, 0
	for _, n := range bytes {
		least, most = min(least, n), max(most, n)
	}
	if len(bytes) != 3 || most-least > 2*quantum+8000 {
		t.Errorf("got %v", bytes)
	}
}

// TestSlowStart: a queue begins with few attempts at once, and each success adds one; a failure
// resets the window to one.
func TestSlowStart(t *testing.T) {
	m, list := full(8, 10)
	now := time.Now()
	var jobs []Job
	fill := func(want int) {
		t.Helper()
		for j, ok := m.Next(now); ok; j, ok = m.Next(now) {
			jobs = append(jobs, j)
		}
		if len(jobs) != want {
			t.Fatalf("%d in flight, want %d", len(jobs), want)
		}
	}
	end := func(e End) {
		m.Complete(jobs[0], Result{End: e, Began: micros.Of(now)}, now)
		jobs = jobs[1:]
	}
	fill(slowStart)
	for want := slowStart + 1; want <= 8; want++ {
		end(Delivered)
		fill(want)
	}
	end(Delivered)
	fill(8)
	end(Failed)
	for range 7 {
		fill(len(jobs))
		end(Unsent)
	}
	fill(1)
	if list[0].window != 1 {
		t.Errorf("the window is %d", list[0].window)
	}
}

// TestProbes: an endpoint with a long streak gets one new delivery at a time, on the retry
// schedule, and its full pace after the first success.
func TestProbes(t *testing.T) {
	m, list := full(8, 10)
	q, now := list[0], time.Now()
	for i := range gateAt {
		j, ok := m.Next(now)
		if !ok {
			t.Fatalf("no attempt %d", i)
		}
		m.Complete(j, Result{End: Failed, Began: micros.Of(now)}, now)
	}
	if j, ok := m.Next(now); ok {
		t.Fatalf("%d is sent to a failing endpoint", j.Item.Sequence)
	}
	now = now.Add(8 * time.Second) // the first probe and the retries are due
	m.Tick(now)
	j, ok := m.Next(now)
	if _, second := m.Next(now); !ok || second {
		t.Fatalf("one: %t, two: %t", ok, second)
	}
	m.Complete(j, Result{End: Delivered, Began: micros.Of(now)}, now)
	if q.row.Streak != 0 || q.head(micros.Of(now)) == nil {
		t.Errorf("the streak is %d", q.row.Streak)
	}
}

// TestPauseEnds: queues in turn go on when the pause ends, and workers are started.
func TestPauseEnds(t *testing.T) {
	m, _ := full(8, 10)
	now := time.Now()
	m.Pause(true)
	m.Effects()
	if _, ok := m.Next(now); ok {
		t.Error("sent during a pause")
	}
	m.Pause(false)
	if m.Effects().Workers == 0 {
		t.Error("no worker is started")
	}
	if _, ok := m.Next(now); !ok {
		t.Error("nothing is sent after a pause")
	}
}

// TestStates: a queue that this process lost or retired stays so.
func TestStates(t *testing.T) {
	for from := range states {
		q := &Queue{state: State(from)}
		for to := range states {
			if moved := q.move(State(to)); moved && (State(from) == Lost || State(from) == Retired || from == to) {
				t.Errorf("%s became %s", State(from), State(to))
			}
			q.state = State(from)
		}
	}
}

// TestUnsettled: sending stops while outcomes cannot be saved, for one queue and for all, and goes
// on with those that can.
func TestUnsettled(t *testing.T) {
	for _, c := range []struct{ queues, least, most int }{
		{1, maxUnsettled, maxUnsettled}, {8, maxUnsettledInAll * 3 / 4, maxUnsettledInAll},
		{200, maxUnsettledInAll * 9 / 10, maxUnsettledInAll},
	} {
		m, list := full(32, make([]int, c.queues)...)
		now := time.Now()
		for _, q := range list {
			q.row.Last = 1 << 20
		}
		var outcomes []*Outcome
		send := func() (n int) {
			for j, ok := m.Next(now); ok && n <= c.most; j, ok = m.Next(now) {
				o, _ := m.Complete(j, Result{End: Delivered}, now)
				outcomes = append(outcomes, &o)
				n++
				reads := m.Reads(len(list), false, now)
				for _, r := range reads {
					items := make([]*Item, refillAt)
					for i := range items {
						items[i] = &Item{Sequence: r.From + int64(i), Resource: xid.New(), Kind: event.ProductUpdated}
					}
					m.Admit(r, items, false, now)
				}
				m.ReadDone(reads, now)
			}
			return n
		}
		first := send()
		if first < c.least || first > c.most {
			t.Fatalf("%d were sent by %d queues while none was saved, want %d to %d", first, c.queues, c.least, c.most)
		}
		m.Effects()
		for _, o := range outcomes {
			m.Settled(o, now)
		}
		if m.Effects().Workers == 0 || send() != first {
			t.Error("it does not go on when outcomes are saved")
		}
	}
}
