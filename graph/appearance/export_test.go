package appearance

import "github.com/storefront-go/storefront/ent/limit"

// What the tests, which stand outside of the package, see of its inside.
const MaxThemes = limit.Themes
