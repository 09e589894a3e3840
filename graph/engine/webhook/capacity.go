package webhook

import (
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// mostInflight is the highest number of attempts in flight in one process.
	mostInflight = 10_000
	// fewestByMemory and fewestByFiles are the lower limits, even on the smallest machine. An
	// attempt that gets no descriptor does not begin, and is tried again.
	fewestByMemory, fewestByFiles = 64, 4
	// waitingCost is what a waiting attempt takes, in bytes: over TLS 14 KiB for its connection,
	// the rest for its stack, its body and its entries in the schedule.
	waitingCost = 32 << 10
	// Attempts may take 1/memoryShare of the memory.
	memoryShare = 4
	// spareFiles is the number of descriptors that a process needs beside those open at the start,
	// for database connections and name lookups. Attempts get the others, or half of them if the
	// process also answers requests.
	spareFiles = 20
)

// Capacity is how many attempts one process may have in flight, with the limits behind it.
type Capacity struct {
	Attempts int
	Files    uint64 // limit of open files; 0: unknown
	Memory   uint64 // in bytes; 0: unknown
}

// MeasureCapacity derives the capacity from the open files of this process and their limit, its
// memory limits (GOMEMLIMIT and the control group), and the memory of the machine. serves says
// whether the process also answers requests.
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

// openFiles returns the number of files that this process has open; 0 if unknown.
func openFiles() uint64 {
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		return 0
	}
	return uint64(len(list))
}

// memoryLimit returns the lowest known limit, or 0.
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

// machineMemory returns the memory of a Linux machine in bytes, or 0.
func machineMemory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" {
			n, _ := strconv.ParseUint(f[1], 10, 64) // 0 means unknown
			return n << 10
		}
	}
	return 0
}

// groupLimits returns the memory limits of the process's control groups on Linux, versions 1 and 2,
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
				n, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64) // "max" means no limit
				list = append(list, n)
			}
		}
	}
	return list
}
