package storetest

// exceptions are pairs of tables that one transaction writes though their owners may lie
// on two shards. Each is a mistake that stands until it is mended.
var exceptions = []struct {
	tables [2]string
	why    string
}{}
