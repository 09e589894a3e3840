package migrate

// What the tests, which stand outside because storetest imports this package,
// need from inside.
var (
	ApplyFolder = apply
	CheckFolder = check
	Folder      = folder
	Load        = load
)
