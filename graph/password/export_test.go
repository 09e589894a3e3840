package password

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// Turn takes one of the turns; the function gives it back.
func Turn(t *testing.T) func() {
	t.Helper()
	done, err := turn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// Common returns the list of common passwords.
func Common(t *testing.T) []string {
	t.Helper()
	list, err := gzip.NewReader(strings.NewReader(common))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(list)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// MadeOf is the second half of [Weak].
func MadeOf(text string, personal ...string) bool { return isMadeOf(strings.ToLower(text), personal) }
