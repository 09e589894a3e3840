package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/storetest"
)

// envRelease names a binary of the last release that has already been built.
const envRelease = "STOREFRONT_TEST_RELEASE"

// release builds the last release once per machine and Go version, from the commit in
// testdata/release, which every release updates. The build cache serves the packages that it shares
// with this program; its own code is not optimized.
var release = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(envRelease); path != "" {
		return path, nil
	}
	text, err := os.ReadFile(filepath.Join("testdata", "release"))
	if err != nil {
		return "", err
	}
	kept, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(text))
	kept = filepath.Join(kept, "storefront-releases", commit+"-"+runtime.Version())
	if _, err := os.Stat(kept); err == nil {
		return kept, nil
	}
	source := filepath.Join(scratch, "release-source")
	if err := errors.Join(os.MkdirAll(source, 0o755), os.MkdirAll(filepath.Dir(kept), 0o755)); err != nil {
		return "", err
	}
	archive, path := filepath.Join(scratch, "release.tar"), filepath.Join(filepath.Dir(kept), filepath.Base(scratch))
	for _, cmd := range []*exec.Cmd{
		exec.Command("git", "-C", filepath.Join("..", ".."), "archive", "-o", archive, commit),
		exec.Command("tar", "-xf", archive, "-C", source),
		exec.Command("go", "build", "-C", source, "-gcflags=github.com/storefront-go/storefront/...=-N -l",
			"-o", path, "./cmd/storefront"),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
		}
	}
	return kept, os.Rename(path, kept)
})

// inHistory reports whether the commit of the last release is available.
func inHistory() bool {
	commit, err := os.ReadFile(filepath.Join("testdata", "release"))
	return err == nil && exec.Command("git", "-C", filepath.Join("..", ".."), "cat-file", "-e",
		strings.TrimSpace(string(commit))+"^{commit}").Run() == nil
}

// TestUpgrade: this program starts beside the last release on that one's database, and both write
// and deliver; then this one stops, and the release continues with everything that both wrote.
// Acknowledged events are delivered in order.
func TestUpgrade(t *testing.T) {
	storetest.Campaign(t)
	storetest.Sequential(t)
	t.Parallel()
	if os.Getenv(envRelease) == "" && !inHistory() {
		t.Skip("the last release is built from its commit: this needs git and the repository's whole history, or a " +
			"binary in " + envRelease)
	}
	old, err := release()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("sqlite", func(t *testing.T) { upgrade(t, old) })
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) { upgrade(t, old, "--migrate", "--database", storetest.EmptyMySQL(t)) })
	}
}

func upgrade(t *testing.T, old string, args ...string) {
	s := settings{Data: t.TempDir(), Args: append([]string{"--rate-limit", "0", "--allow-loopback-webhooks"}, args...)}
	before := s.plus("--demo", "--demo-orders", "3")
	before.Binary = old
	first := start(t, before)
	store := first.demo(t).Stores[0]
	sink := receiving(t)
	book := sink.open("/upgrade", nil)
	first.register(t, store.Keys["all"], book, salesEvents...)
	crew := hire(t, 5*time.Millisecond, first, first)
	if len(args) > 0 { // releases until 20261129 took error 1412 for a failure: "retry transaction", after a migration
		crew.flawed = first
	}
	crew.begin(t, 2)
	progress(t, book, 40)

	second := start(t, s)
	crew.apis[1].Store(second)
	progress(t, book, 150)
	for _, p := range []*program{first, second} { // each reads what both wrote
		p.send(t, request{As: store.Keys["all"], Path: base + "/products?limit=100"}).want(t, http.StatusOK, "")
		p.send(t, request{As: store.Keys["all"], Path: base + "/orders?limit=100"}).want(t, http.StatusOK, "")
	}

	crew.apis[1].Store(first)
	if code := second.stop(t); code != 0 {
		t.Errorf("this program ended with %d", code)
	}
	progress(t, book, 40)
	crew.rest()
	sink.complete(t, patience, &crew.journal, book)
	first.send(t, request{As: store.Keys["all"], Path: base + "/me"}).want(t, http.StatusOK, "")
}

// progress waits until a book has a number of additional events.
func progress(t *testing.T, b *book, more int) {
	t.Helper()
	limit := time.Now().Add(patience)
	for before, _ := b.accepted(); ; <-time.After(20 * time.Millisecond) {
		if n, _ := b.accepted(); n >= before+more {
			return
		} else if time.Now().After(limit) {
			t.Fatalf("%d of %d events came", n-before, more)
		}
	}
}
