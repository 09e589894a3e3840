package password

import "testing"

// Turn takes one of the turns; the function gives it back.
func Turn(t *testing.T) func() {
	t.Helper()
	done, err := turn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return done
}
