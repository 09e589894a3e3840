package storetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// CPUTime returns the CPU time used so far by the processes of this process group: this process
// and a server that it started. The difference of two calls is the time that something takes on an
// otherwise idle machine. It is 0 if the system does not report CPU times.
func CPUTime() (sum time.Duration) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, stat := range stats {
		text, _ := os.ReadFile(stat) // empty if the process has ended
		var state string
		var parent, group int
		_, rest, _ := strings.Cut(string(text), ") ")
		if fmt.Sscan(rest, &state, &parent, &group); group == syscall.Getpgrp() {
			sum += computed(filepath.Dir(stat))
		}
	}
	return sum
}

// computed returns the CPU time of one process, given its folder in /proc.
func computed(process string) (sum time.Duration) {
	threads, _ := filepath.Glob(process + "/task/*/schedstat")
	for _, thread := range threads {
		text, _ := os.ReadFile(thread)
		var spent time.Duration
		fmt.Sscan(string(text), &spent)
		sum += spent
	}
	return sum
}
