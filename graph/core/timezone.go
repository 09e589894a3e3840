package core

import (
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
)

// Timezone checks the name of a time zone of the IANA database. Names that depend on the machine
// are refused: another one would read them differently.
func (c *Check) Timezone(name, zone string) {
	switch _, err := time.LoadLocation(zone); {
	case zone == "":
		c.Add(name, fault.TooShort, "The time zone is empty.")
	case len(zone) > limit.Timezone:
		c.Add(name, fault.TooLong, "The time zone has more than "+strconv.Itoa(limit.Timezone)+" characters.")
	case err != nil, machineOnly(zone):
		c.Add(name, fault.UnknownValue, "This is not an IANA time zone. For example, Europe/Berlin.")
	}
}

// machineOnly reports whether a zone that loads is a setting of the machine or a variant that some
// systems install beside the database.
func machineOnly(zone string) bool {
	switch zone {
	case "Local", "localtime", "posixrules", "Factory":
		return true
	}
	return strings.HasPrefix(zone, "posix/") || strings.HasPrefix(zone, "right/")
}
