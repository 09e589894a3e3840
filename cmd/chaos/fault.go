package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"
)

// Kind is a kind of fault.
type Kind string

// Kinds of faults.
const (
	KillServer     Kind = "a server killed"
	KillDispatcher Kind = "a dispatcher killed"
	KillProgram    Kind = "every process killed"
	KillDatabase   Kind = "the database killed"
	KillMachine    Kind = "database and every process killed"
	Pause          Kind = "a process stopped past its lease"
	DiskFull       Kind = "disk full"
	// Reshard is not random: it happens once, if a cluster supports it.
	Reshard Kind = "the cluster spread over other shards"
)

// weights are the relative frequencies of the kinds.
var weights = map[Kind]int{KillServer: 35, KillDispatcher: 20, KillProgram: 8, KillDatabase: 15, KillMachine: 4,
	Pause: 4, DiskFull: 6}

// Fault is one fault.
type Fault struct {
	Kind Kind
	// Target selects the process, modulo their number.
	Target int
	Hold   time.Duration
	Rest   time.Duration
	At     time.Duration
}

// plan returns n faults of the possible kinds: first each kind once, as far as n allows, then
// random ones by weight. The same seed gives the same plan.
func plan(seed uint64, n int, able []Kind) []Fault {
	random := rand.New(rand.NewPCG(seed, 2))
	able = slices.Sorted(slices.Values(able))
	var pool []Kind
	for _, k := range able {
		pool = append(pool, slices.Repeat([]Kind{k}, weights[k])...)
	}
	random.Shuffle(len(able), func(i, j int) { able[i], able[j] = able[j], able[i] })
	list := make([]Fault, n)
	for i := range list {
		f := Fault{Kind: pool[random.IntN(len(pool))], Target: random.IntN(1 << 10),
			Hold: time.Duration(random.IntN(1500)) * time.Millisecond,
			Rest: time.Duration(300+random.IntN(700)) * time.Millisecond}
		if i < len(able) {
			f.Kind = able[i]
		}
		if f.Kind == Pause {
			f.Hold += 6500 * time.Millisecond // longer than a lease, which is 6 s
		}
		list[i] = f
	}
	return list
}

func (c *campaign) able() (list []Kind, undone map[Kind]string) {
	undone = map[Kind]string{}
	for _, k := range []Kind{KillDatabase, KillMachine} {
		switch {
		case c.Engine == "sqlite":
			undone[k] = "SQLite is part of each process"
		case c.Engine == "vitess" && c.Down == "":
			undone[k] = "no command kills the cluster"
		}
	}
	if c.disk.err != nil {
		undone[DiskFull] = c.disk.err.Error()
	}
	for _, k := range slices.Sorted(maps.Keys(weights)) {
		if undone[k] == "" {
			list = append(list, k)
		}
	}
	return list, undone
}

// strike injects one fault and waits until everything answers again.
func (c *campaign) strike(ctx context.Context, f Fault) error {
	var err error
	switch f.Kind {
	case KillServer:
		kill(c.servers[f.Target%len(c.servers)])
	case KillDispatcher:
		kill(c.dispatchers[f.Target%len(c.dispatchers)])
	case KillProgram:
		kill(c.processes()...)
	case KillDatabase, KillMachine:
		if f.Kind == KillMachine {
			kill(c.processes()...)
		}
		if err = c.db.kill(ctx); err == nil {
			pause(ctx, f.Hold)
			err = c.db.start(ctx)
		}
	case Pause:
		p := c.processes()[f.Target%len(c.processes())]
		p.signal(syscall.SIGSTOP)
		pause(ctx, f.Hold)
		p.signal(syscall.SIGCONT)
	case DiskFull:
		if err = c.disk.fill(); err == nil {
			pause(ctx, f.Hold)
			err = c.disk.free()
			pause(ctx, 200*time.Millisecond) // a server that gives up has exited
		}
	case Reshard:
		err = do(ctx, c.Reshard)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Kind, err)
	}
	return c.await(ctx)
}

func kill(list ...*process) {
	for _, p := range list {
		p.signal(syscall.SIGKILL)
	}
}
