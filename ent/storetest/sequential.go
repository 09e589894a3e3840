package storetest

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// Overlap lets at least n tests that call t.Parallel run at once on any number of cores, because they
// mostly wait. Call it in TestMain; the flag -parallel overrides it.
func Overlap(n int) {
	if err := flag.Set("test.parallel", strconv.Itoa(max(n, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
}

// EnvCampaigns set to 1 runs the tests that call [Campaign].
const EnvCampaigns = "STOREFRONT_CAMPAIGNS"

// Campaigns reports whether [EnvCampaigns] asks for campaigns.
func Campaigns() bool { return os.Getenv(EnvCampaigns) == "1" }

// Campaign skips a test unless [EnvCampaigns] is set: it kills processes or waits for leases and
// deadlines for most of a minute. The step campaigns of .ci/run sets it.
func Campaign(t testing.TB) {
	t.Helper()
	if !Campaigns() {
		t.Skip("a campaign: set " + EnvCampaigns + "=1 to run it")
	}
}

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
