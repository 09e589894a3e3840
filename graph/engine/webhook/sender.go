package webhook

import (
	"context"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/engine/webhook/schedule"
)

const (
	// defaultWindow is how many attempts to one endpoint may be in flight.
	defaultWindow = 32
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
	machine *lockedMachine
	events  eventReader
	grants  grants
	leases  leases
	settle  func(*outcome) // takes an outcome to save, with the lock held
	trouble senderState

	// The lock of the machine guards these.
	jobs             sync.Cond // workers without a job wait here
	workers, waiting int

	large chan struct{} // holds one token for each large body being sent
	group sync.WaitGroup

	toLoad, toCatchUp, toAlarm chan struct{} // each wakes its loop
}

// leases is the part of the [leaser] that the sender uses. All methods but readRows run with the lock
// of the machine held.
type leases interface {
	of(q *schedule.Queue) *leased
	readRows(ctx context.Context, keys []schedule.Key) (map[schedule.Key]*row, error)
	reread(m *schedule.Machine, q *schedule.Queue, r *row)
	retireQueue(m *schedule.Machine, q *schedule.Queue)
}

func newSender(b *base, m *lockedMachine, leases leases, settle func(*outcome)) *sender {
	cached, _ := lru.New[grantKey, grant](maxGrants) // only a size below one is an error
	s := &sender{base: b, machine: m, events: eventReader{b}, grants: grants{b, cached}, leases: leases, settle: settle,
		large: make(chan struct{}, maxLarge), toLoad: make(chan struct{}, 1), toCatchUp: make(chan struct{}, 1),
		toAlarm: make(chan struct{}, 1)}
	s.jobs.L = &m.mu
	return s
}

// startWorker makes one worker look for a job. The lock is held.
func (s *sender) startWorker(paused bool) {
	switch {
	case paused:
	case s.waiting > 0:
		s.jobs.Signal()
	case s.workers < s.Slots:
		s.workers++
		s.group.Go(s.serve)
	}
}

// serve runs a worker.
func (s *sender) serve() {
	m := s.machine.lock()
	defer s.machine.mu.Unlock()
	s.work(m)
}

// work sends the next deliveries until the schedule is paused, or until enough other workers are
// idle.
func (s *sender) work(m *schedule.Machine) {
	for {
		j, ok := m.Next(s.now())
		if !ok {
			if m.Paused() || s.waiting >= idleWorkers {
				s.workers--
				return
			}
			s.waiting++
			s.jobs.Wait()
			s.waiting--
			continue
		}
		a, many := s.sendJob(j), m.Inflight() > fewInflight
		s.machine.unlock()
		switch p, r := s.send(a); {
		case p == nil:
			s.conclude(j, a, r)
		case many:
			s.group.Go(func() { s.awaitAnswer(j, a, p) })
			s.machine.lock()
		default:
			p.Await()
			s.conclude(j, a, s.end(a, p))
		}
	}
}

// awaitAnswer waits for an answer, then goes on as a worker. A goroutine keeps its stack once it
// has grown, so where many attempts wait, a new goroutine waits in place of the sender.
func (s *sender) awaitAnswer(j schedule.Job, a *sendJob, p *attempt.Pending) {
	p.Await()
	s.answered(j, a, p)
}

func (s *sender) answered(j schedule.Job, a *sendJob, p *attempt.Pending) {
	m := s.conclude(j, a, s.end(a, p))
	defer s.machine.mu.Unlock()
	s.workers++
	s.work(m)
}

// conclude passes on the result of a job. It returns with the lock held.
func (s *sender) conclude(j schedule.Job, a *sendJob, r attempt.Result) *schedule.Machine {
	s.noteResult(a.ctx, r)
	m := s.machine.lock()
	o := s.complete(m, j, r)
	if s.logs(r) {
		s.machine.mu.Unlock()
		s.logAttempt(a, r, o)
		s.machine.lock()
	}
	return m
}

// sendJob collects what an attempt needs, with the present settings. The lock is held.
func (s *sender) sendJob(j schedule.Job) *sendJob {
	l := s.leases.of(j.Queue)
	return &sendJob{queue: j.Queue, key: j.Queue.Key, item: *j.Item, target: l.target, headers: l.headers,
		owner: l.owner, ctx: l.ctx, held: l.held}
}

// complete takes the result of a job and passes its outcome to the settler; it returns nil if there
// is nothing to save.
func (s *sender) complete(m *schedule.Machine, j schedule.Job, r attempt.Result) *outcome {
	defer s.machine.apply(m)
	end := resultOf(r)
	end.Began = s.toMonotonic(end.Began)
	o, ok := m.Complete(j, end, s.now())
	if !ok {
		return nil
	}
	whole := &outcome{Outcome: s.toWallTimes(o), result: r, id: xid.At(micros.Of(r.Began)), number: o.Attempts}
	s.settle(whole)
	return whole
}

// alarmLoop resumes lanes and queues whose wait is over, until ctx ends.
func (s *sender) alarmLoop(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(s.tick())
		select {
		case <-ctx.Done():
			return
		case <-s.toAlarm:
		case <-timer.C:
		}
	}
}

func (s *sender) tick() time.Duration {
	m := s.machine.lock()
	defer s.machine.unlock()
	return m.Tick(s.now())
}
