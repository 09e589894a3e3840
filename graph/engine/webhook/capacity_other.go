//go:build !unix

package webhook

// fileLimit returns 0: the limit is unknown on this system.
func fileLimit() uint64 { return 0 }
