package storetest

// exceptions are pairs of tables that one transaction writes though their owners may lie
// on two shards. Each is a mistake that stands until it is mended.
var exceptions = []struct {
	tables [2]string
	why    string
}{
	{[2]string{"store_handles", "user_emails"}, "a store is made together with its owner's account"},
	{[2]string{"credentials", "user_emails"}, "a store is made together with its owner's account"},
	{[2]string{"users", "memberships"}, "who joins a store may get their account in the same step"},
	{[2]string{"users", "staff"}, "who joins a store may get their account in the same step"},
	{[2]string{"themes", "theme_packages"}, "the package of a theme is kept together with the theme"},
}
