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
	KillExporter   Kind = "all servers killed amid an export"
	KillProgram    Kind = "every process killed"
	KillDatabase   Kind = "the database killed"
	KillMachine    Kind = "database and every process killed"
	Pause          Kind = "a process stopped past its lease"
	DiskFull       Kind = "disk full"
	Clock          Kind = "the database's clock set"
	// Reshard is not random: it happens once, if a cluster supports it.
	Reshard Kind = "the cluster spread over other shards"
)

// weights are the relative frequencies of the kinds.
var weights = map[Kind]int{KillServer: 25, KillDispatcher: 20, KillExporter: 10, KillProgram: 8, KillDatabase: 15,
	KillMachine: 4, Pause: 4, DiskFull: 6, Clock: 8}

// Fault is one fault.
type Fault struct {
	Kind Kind `json:"kind"`
	// Target selects the process, modulo their number.
	Target int `json:"target"`
	// Hold is the duration of a fault that has one.
	Hold time.Duration `json:"hold_ns"`
	// Ahead is the offset of a clock.
	Ahead time.Duration `json:"ahead_ns,omitempty"`
	// Rest is the pause after the fault.
	Rest time.Duration `json:"rest_ns"`
	// At is the time since the campaign began.
	At time.Duration `json:"at_ns"`
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
		switch f.Kind {
		case Pause:
			f.Hold += 6500 * time.Millisecond // longer than a lease, which is 6 s
		case Clock:
			f.Ahead = []time.Duration{-5 * time.Minute, 5 * time.Minute, 0}[random.IntN(3)]
		}
		list[i] = f
	}
	return list
}

// able returns the possible kinds, and why the others are not possible.
func (c *campaign) able() (list []Kind, undone map[string]string) {
	undone = map[string]string{}
	if c.engine == "sqlite" {
		for _, k := range []Kind{KillDatabase, KillMachine, Clock} {
			undone[string(k)] = "SQLite is part of each process"
		}
	}
	switch {
	case c.engine == "mysql":
		undone[string(Clock)] = "MySQL asks for the time so often that faketime brings it to a standstill"
	case c.engine == "mariadb" && !c.db.settable:
		undone[string(Clock)] = "there is no library of faketime"
	}
	if c.engine == "vitess" {
		undone[string(Clock)] = "the cluster's clock is that of its machine"
		if c.cluster.kill == "" {
			for _, k := range []Kind{KillDatabase, KillMachine} {
				undone[string(k)] = "no command kills the cluster"
			}
		}
	}
	if c.disk.err != nil {
		undone[string(DiskFull)] = c.disk.err.Error()
	}
	for _, k := range slices.Sorted(maps.Keys(weights)) {
		if undone[string(k)] == "" {
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
	case KillExporter:
		c.amidExport(ctx, f)
		kill(c.servers...)
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
	case Clock:
		err = c.db.set(f.Ahead)
	case Reshard:
		err = do(ctx, c.cluster.reshard)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Kind, err)
	}
	return c.await(ctx)
}

// kill kills processes.
func kill(list ...*process) {
	for _, p := range list {
		p.signal(syscall.SIGKILL)
	}
}

// amidExport starts an export and waits until a process writes it.
func (c *campaign) amidExport(ctx context.Context, f Fault) {
	c.group.Go(func() { c.failed(c.crew.export(c.work, fmt.Sprintf("x%x%x", c.seed, f.At))) })
	pause(ctx, time.Duration(f.Target%60)*time.Millisecond)
}
