package core

import "github.com/storefront-go/storefront/ent/fault"

// What the tests, which stand outside of the package, see of its inside.

// Fields returns what a check found wrong.
func Fields(c *Check) []fault.Field { return c.fields }
