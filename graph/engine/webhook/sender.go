package webhook

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
	"github.com/storefront-go/storefront/graph/lib/egress"
)

const (
	// window is how many attempts to one endpoint may be in flight.
	window = 32
	// idleWorkers is how many workers wait for a job; others end.
	idleWorkers = 256
	// Up to fewInflight attempts, it does not matter how much memory each holds while it waits.
	fewInflight = 512
	// maxLarge is how many bodies that were not read ahead may be in memory for sending.
	maxLarge = 128
)

// sender reads the deliveries of leased queues, makes the attempts that the schedule decides, and
// passes their outcomes on.
type sender struct {
	*base
	grants grants
	selections
	leaser  *leaser
	settler *settler

	lastTrouble atomic.Pointer[trouble]
	answered    atomic.Int64 // when a receiver last answered, in nanoseconds

	// The lock of the machine guards these.
	jobs             sync.Cond // workers without a job wait here
	workers, waiting int

	large chan struct{} // holds one token for each large body being sent
	group sync.WaitGroup

	toLoad, toCatchUp, toAlarm chan struct{} // each wakes its loop
}

func newSender(l *leaser, s *settler) *sender {
	cached, _ := lru.New[grantKey, grant](maxGrants) // only a size below one is an error
	return &sender{base: l.base, grants: grants{l.base, cached}, leaser: l, settler: s,
		selections: newSelections(),
		jobs:       sync.Cond{L: &l.machine.mu}, large: make(chan struct{}, maxLarge),
		toLoad: make(chan struct{}, 1), toCatchUp: make(chan struct{}, 1), toAlarm: make(chan struct{}, 1)}
}

// startWorker makes one worker look for a job. The lock is held.
func (s *sender) startWorker(paused bool) {
	switch {
	case paused:
	case s.waiting > 0:
		s.jobs.Signal()
	case s.workers < s.Slots:
		s.workers++
		s.group.Go(func() { s.work(s.machine.lock()) })
	}
}

// work sends the next deliveries until the schedule is paused, or until enough other workers are
// idle. It is called with the lock held, and releases it.
func (s *sender) work(m *schedule.Machine) {
	for {
		j, ok := m.Next(s.now())
		if !ok {
			if m.Paused() || s.waiting >= idleWorkers {
				s.workers--
				s.machine.unlock()
				return
			}
			s.waiting++
			s.jobs.Wait()
			s.waiting--
			continue
		}
		a := &sendJob{Job: j, item: *j.Item, leased: *s.leaser.leased[j.Queue]}
		many := m.Inflight() > fewInflight
		s.machine.unlock()
		switch p, r := s.send(a); {
		case p == nil:
			s.conclude(a, r)
		case many:
			s.group.Go(func() { s.awaitAnswer(a, p) })
			s.machine.lock()
		default:
			p.Await()
			s.conclude(a, s.end(a, p))
		}
	}
}

// awaitAnswer waits for an answer, then goes on as a worker. A goroutine keeps its stack once it
// has grown, so where many attempts wait, a new goroutine waits in place of the sender.
func (s *sender) awaitAnswer(a *sendJob, p *attempt.Pending) {
	p.Await()
	m := s.conclude(a, s.end(a, p))
	s.workers++
	s.work(m)
}

// conclude takes the result of an attempt, and passes its outcome to the settler unless there is
// nothing to save. It returns with the lock held.
func (s *sender) conclude(a *sendJob, r attempt.Result) *schedule.Machine {
	s.noteResult(a.ctx, r)
	end := resultOf(r)
	end.Began = s.toMonotonic(end.Began)
	m := s.machine.lock()
	o, ok := m.Complete(a.Job, end, s.now())
	o = s.toWallTimes(o)
	if ok {
		s.settler.add(&outcome{Outcome: o, result: r, id: xid.At(micros.Of(r.Began)), number: o.Attempts})
	}
	s.machine.apply(m)
	if s.Logger.Enabled(a.ctx, levelOf(r)) {
		s.machine.mu.Unlock()
		s.logAttempt(a.Queue.Key, a.item, r, o.Due)
		s.machine.lock()
	}
	return m
}

// alarmLoop resumes lanes and queues whose wait is over, until ctx ends.
func (s *sender) alarmLoop(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for more := true; more; more = wait(ctx, s.toAlarm, timer.C) {
		m := s.machine.lock()
		timer.Reset(m.Tick(s.now()))
		s.machine.unlock()
	}
}

// troubleTime is how long a trouble of this machine counts as present while no receiver answers.
const troubleTime = 10 * time.Second

// trouble is an attempt that this machine could not begin.
type trouble struct {
	kind egress.Trouble
	at   time.Time
}

// troubles describe the problem for an operator. A missing route for one address family is not
// listed, since the owner of an endpoint chooses its address.
var troubles = map[egress.Trouble]string{
	egress.Descriptors: "no file descriptor is left",
	egress.Memory:      "the system has no memory for connections",
	egress.Ports:       "no local port is left",
	egress.Route:       "this machine has no route",
	egress.Resolver:    "no name can be looked up",
}

// SenderTrouble returns why webhooks cannot be sent from this machine at present, or "".
func (e *Engine) SenderTrouble() string {
	last := e.sender.lastTrouble.Load()
	if last == nil || time.Since(last.at) >= troubleTime || e.sender.answered.Load() >= last.at.UnixNano() ||
		troubles[last.kind] == "" {
		return ""
	}
	return "webhooks cannot be sent: " + troubles[last.kind]
}

// noteResult records what an attempt shows about this machine.
func (s *sender) noteResult(ctx context.Context, r attempt.Result) {
	switch {
	case r.Outcome == attempt.Unable:
		s.noteTrouble(ctx, egress.Trouble(r.Detail))
	case r.Status != 0:
		s.answered.Store(time.Now().UnixNano())
	}
}

// noteTrouble records an attempt that could not begin. Its delivery waits, and the receiver is not
// blamed.
func (s *sender) noteTrouble(ctx context.Context, kind egress.Trouble) {
	s.metrics.troubles.WithLabelValues(string(kind)).Inc()
	if kind != egress.Family {
		s.lastTrouble.Store(&trouble{kind: kind, at: time.Now()})
		m := s.machine.lock()
		m.ReduceLimit(s.now())
		s.machine.unlock()
	}
	if s.shouldLog("begin an attempt: " + string(kind)) {
		s.Logger.ErrorContext(ctx, "webhooks wait: this machine cannot begin an attempt; no receiver is counted as failing",
			"trouble", string(kind))
	}
}
