package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

// scratch is a folder that lives as long as the test process.
var scratch string

// atExit is called when all tests have ended.
var atExit []func()

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	storetest.Overlap(4)
	dir, err := os.MkdirTemp("", "storefront-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	scratch = dir
	defer func() {
		for _, f := range atExit {
			f()
		}
	}()
	return m.Run()
}

// built builds the binary once per test process.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "storefront")
	args := append([]string{"build", "-o", path}, buildFlags...)
	out, err := exec.Command("go", append(args, "github.com/storefront-go/storefront/cmd/storefront")...).
		CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
})

func binary(t testing.TB) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// templateOrders is how many orders each store of [demoData] has: enough for all states of the
// demo.
const templateOrders = 25

// template is a data folder that one run of the program filled.
var template struct {
	sync.Mutex
	dir string
}

// demoData returns a data folder with the demo; it is removed after the test.
func demoData(t *testing.T) string {
	t.Helper()
	template.Lock()
	defer template.Unlock()
	if template.dir == "" {
		dir := filepath.Join(scratch, "template")
		p := start(t, settings{Data: dir, Args: []string{"--demo", "--demo-orders", fmt.Sprint(templateOrders)}})
		if code := p.stop(t); code != 0 {
			t.Fatalf("the first run ended with %d", code)
		}
		template.dir = dir
	}
	dir := t.TempDir()
	copyFolder(t, dir, template.dir)
	return dir
}

// copyFolder keeps the files' modes: secrets that others can read count as lost.
func copyFolder(t *testing.T, to, from string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), info.Mode().Perm())
		}
		b, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), b, info.Mode().Perm())
	})
	if err != nil {
		t.Fatalf("copy the data folder: %v", err)
	}
}

// An engine is a kind of database, with the way to start the demo on a new one.
type engine struct {
	name string
	demo func(t *testing.T) settings
}

// engines returns SQLite, and MySQL or MariaDB if installed. With the race detector it returns only
// the latter, on which processes write concurrently.
func engines(t *testing.T) []engine {
	t.Helper()
	sqlite, mysql := engine{"sqlite", onSQLite}, engine{"mysql", onMySQL}
	switch {
	case !storetest.HaveMySQL(t):
		return []engine{sqlite}
	case slower > 1:
		return []engine{mysql}
	}
	return []engine{sqlite, mysql}
}

// each runs f for the demo on every engine; s starts it. MySQL begins without a row.
func each(t *testing.T, f func(t *testing.T, s settings)) {
	t.Helper()
	for _, e := range engines(t) {
		t.Run(e.name, func(t *testing.T) { f(t, e.demo(t)) })
	}
}

// either returns the demo on a database that processes can share if one is installed, and otherwise
// on SQLite: for tests to which a second engine adds nothing.
func either(t *testing.T) settings {
	t.Helper()
	list := engines(t)
	return list[len(list)-1].demo(t)
}

// together is each in parallel with other tests. A test takes its database when its turn comes: if
// all share one, as on Vitess, no test may hold it while it waits for others.
func together(t *testing.T, f func(t *testing.T, s settings)) {
	t.Helper()
	t.Parallel()
	for _, e := range engines(t) {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			f(t, e.demo(t))
		})
	}
}

func onSQLite(t *testing.T) settings {
	t.Helper()
	return settings{Data: demoData(t), Args: []string{"--demo", "--rate-limit", "0"}}
}

func onMySQL(t *testing.T) settings {
	t.Helper()
	return settings{Data: t.TempDir(), Args: []string{"--demo", "--demo-orders", "3", "--rate-limit", "0",
		"--database", storetest.MySQL(t)}}
}
