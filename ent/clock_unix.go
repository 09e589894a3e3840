//go:build linux || darwin

package ent

import (
	"golang.org/x/sys/unix"

	"github.com/storefront-go/storefront/ent/micros"
)

// machineClock returns how long the machine has been running, the same for all of its processes.
func machineClock() micros.Time {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return micros.Now()
	}
	return micros.Time(t.Nano() / 1000)
}
