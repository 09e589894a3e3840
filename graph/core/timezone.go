package core

import (
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
)

// Timezone checks the name of a time zone of the IANA database. What only the
// machine knows is refused: another one would read it differently.
func (c *Check) Timezone(name, zone string) {
	switch _, err := time.LoadLocation(zone); {
	case zone == "":
		c.Add(name, fault.TooShort, "The time zone is empty.")
	case len(zone) > 64:
		c.Add(name, fault.TooLong, "The time zone has more than 64 characters.")
	case err != nil, ofMachine(zone):
		c.Add(name, fault.UnknownValue, "This is not a time zone of the IANA database, such as Europe/Berlin.")
	}
}

// ofMachine tells whether a name that loads is a setting or a variant that some
// systems keep beside the database.
func ofMachine(zone string) bool {
	switch zone {
	case "Local", "localtime", "posixrules", "Factory":
		return true
	}
	return strings.HasPrefix(zone, "posix/") || strings.HasPrefix(zone, "right/")
}
