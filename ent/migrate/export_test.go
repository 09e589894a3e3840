package migrate

// Internals for the tests, which are external because storetest imports this package.
var (
	ApplyFolder = apply
	CheckFolder = check
	Folder      = folder
	Load        = load
)
