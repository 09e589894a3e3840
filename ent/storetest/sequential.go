package storetest

import "testing"

// Sequential skips a test under the race detector, which has nothing to say about it: the test
// sends one request after another, so that it meets no goroutine that other tests do not meet, or
// it kills the process that would report a race, or it measures delays, which the detector makes
// longer.
func Sequential(t testing.TB) {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector has nothing to say about this test")
	}
}
