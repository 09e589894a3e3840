//go:build !linux && !darwin

package ent

import "github.com/storefront-go/storefront/ent/micros"

// machineClock returns the time of day: this system has no other clock that its processes share.
func machineClock() micros.Time { return micros.Now() }
