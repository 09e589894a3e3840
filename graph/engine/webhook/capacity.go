package webhook

import (
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

const (
	// mostInflight is how many attempts one process has in flight at most.
	mostInflight = 10_000
	// fewestByMemory and fewestByFiles are how many there are even on the smallest
	// machine. An attempt that finds no descriptor is not begun, and tried again.
	fewestByMemory, fewestByFiles = 64, 4
	// waitingCost is what an attempt takes while it waits, in bytes: over TLS its
	// connection takes 14 KiB, its stack, its body and what the schedule knows the rest.
	waitingCost = 32 << 10
	// memoryShare is the part of the memory that they may take: one in so many.
	memoryShare = 4
	// spareFiles are the descriptors that a process opens later beside those it has open at
	// the start: more connections to the database, and lookups of names. Attempts may have
	// all others, or half of them where the process also answers requests.
	spareFiles = 20
)

// Capacity is how many attempts one process may have in flight, and what that
// follows from.
type Capacity struct {
	Attempts int
	Files    uint64 // how many may be open; 0 where that is not known
	Memory   uint64 // in bytes; 0 where that is not known
}

// MeasureCapacity looks at the open files of this process and their limit, at the limits of
// its memory by GOMEMLIMIT and by its control group, and at the memory of the machine.
// serves says that the process also answers requests.
func MeasureCapacity(serves bool) Capacity {
	return capacityOf(fileLimit(), openFiles(), memoryLimit(), serves)
}

func capacityOf(files, open, memory uint64, serves bool) Capacity {
	n := uint64(mostInflight)
	if memory > 0 {
		n = min(n, max(memory/memoryShare/waitingCost, fewestByMemory))
	}
	if files > 0 {
		own := open + spareFiles
		left := max(files, own) - own
		if serves {
			left /= 2
		}
		n = min(n, max(left, fewestByFiles))
	}
	return Capacity{Attempts: int(n), Files: files, Memory: memory}
}

// openFiles returns how many files this process has open; 0 where that is not known.
func openFiles() uint64 {
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		return 0
	}
	return uint64(len(list))
}

// memoryLimit returns the least of the limits that are known; 0 without any.
func memoryLimit() uint64 {
	least := uint64(math.MaxUint64)
	for _, n := range append(groupLimits(), machineMemory(), uint64(debug.SetMemoryLimit(-1))) {
		if n > 0 && n < math.MaxInt64 {
			least = min(least, n)
		}
	}
	if least == math.MaxUint64 {
		return 0
	}
	return least
}

// machineMemory is that of a Linux machine.
func machineMemory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" {
			n, _ := strconv.ParseUint(f[1], 10, 64) // 0 is not known
			return n << 10
		}
	}
	return 0
}

// groupLimits are those of the control groups of a Linux process, of both versions,
// as seen on the machine and from within a container.
func groupLimits() (list []uint64) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 || f[1] != "" && f[1] != "memory" {
			continue
		}
		root, name := "/sys/fs/cgroup", "memory.max"
		if f[1] == "memory" {
			root, name = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for _, dir := range []string{root, path.Join(root, f[2])} {
			if text, err := os.ReadFile(path.Join(dir, name)); err == nil {
				n, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64) // "max" is no limit
				list = append(list, n)
			}
		}
	}
	return list
}

const (
	// manyInflight are so many attempts that what they hold is most of what the process
	// has: the collector would let as much garbage lie beside it.
	manyInflight = 2048
	// thriftyPercent is the GOGC of that time. Those who wait make little garbage.
	thriftyPercent = 30
)

// thrift has the garbage of this process collected sooner while any dispatcher asks for it.
type thrift struct {
	mu     sync.Mutex
	users  int
	former int // the percentage of other times
}

var memory thrift

// SetGCPercent sets the GOGC of the process, but for the time in which so many attempts wait
// that a dispatcher has set its own.
func SetGCPercent(percent int) { memory.set(percent) }

func (t *thrift) set(percent int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users > 0 {
		t.former = percent
		return
	}
	debug.SetGCPercent(percent)
}

func (t *thrift) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users++; t.users > 1 {
		return
	}
	t.former = debug.SetGCPercent(thriftyPercent)
	if t.former < thriftyPercent { // an operator wants less still, or counts on GOMEMLIMIT alone
		debug.SetGCPercent(t.former)
	}
}

func (t *thrift) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.users--; t.users == 0 {
		debug.SetGCPercent(t.former)
	}
}

// save saves memory while many attempts wait. The lock is held.
func (d *dispatcher) save() {
	switch n := d.schedule.Inflight(); {
	case !d.saving && n >= manyInflight:
		d.saving = true
		memory.begin()
	case d.saving && n < manyInflight/2:
		d.saving = false
		memory.end()
	}
}
