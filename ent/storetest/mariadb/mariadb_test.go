package mariadb

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// waitRemoved waits until a file is removed, which is the last step of the shell script.
func waitRemoved(t *testing.T, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s is still there", path)
		}
	}
}

func TestStart(t *testing.T) {
	if !Installed() {
		if _, err := Start(""); err == nil {
			t.Error("started a server that is not installed")
		}
		return
	}
	s, err := Start("", "--max-connections=77")
	if err != nil {
		t.Fatal(err)
	}
	db, err := s.Empty(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	var collation, tmp string
	err = db.QueryRowContext(t.Context(), "SELECT @@max_connections, @@collation_database, @@tmpdir").
		Scan(&n, &collation, &tmp)
	if err != nil || n != 77 || collation != "utf8mb4_bin" || tmp != filepath.Join(filepath.Dir(s.socket), "tmp") {
		t.Errorf("got %d, %s, %s, %v, want our setting, the binary collation and a folder of its own",
			n, collation, tmp, err)
	}
	if want := "mysql://root@unix(" + s.socket + ")/shop"; s.DSN("shop") != want {
		t.Errorf("got %s, want %s", s.DSN("shop"), want)
	}
	s.Close()
	waitRemoved(t, filepath.Dir(s.socket))
}

// childEnv makes the test binary a process that starts a server: "own" waits for its end, "shared"
// leaves it to the go command.
const childEnv = "STOREFRONT_MARIADB_CHILD"

func TestMain(m *testing.M) {
	starts := map[string]func() (*Server, error){"own": func() (*Server, error) { return Start("") }, "shared": Shared}
	run, ok := starts[os.Getenv(childEnv)]
	if !ok {
		os.Exit(m.Run())
	}
	s, err := run()
	if err != nil {
		os.Exit(1)
	}
	os.Stdout.WriteString(filepath.Dir(s.socket) + "\n")
	if s.leash != nil {
		<-s.ended // until the parent kills this process
	}
}

// TestKilledOwner checks that a server ends with the process that started it, even if that is
// killed.
func TestKilledOwner(t *testing.T) {
	if !Installed() {
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=own")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dir, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	waitRemoved(t, strings.TrimSpace(dir))
}

// TestShared runs two processes under a program that is called go: they get the same server, which
// survives both and ends with that program.
func TestShared(t *testing.T) {
	if !Installed() {
		return
	}
	shell := filepath.Join(t.TempDir(), "go")
	if err := os.Symlink("/bin/sh", shell); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), shell, "-c", `"$0"; "$0"; read _`, os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=shared")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	hold, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var dirs [2]string
	lines := bufio.NewReader(out)
	for i := range dirs {
		if dirs[i], err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	dir := strings.TrimSpace(dirs[1])
	s := &Server{socket: filepath.Join(dir, "s")}
	if dirs[0] != dirs[1] || s.Close() != nil || !s.answers() {
		t.Errorf("got servers in %q, want one that outlives its users", dirs)
	}
	hold.Close()
	cmd.Wait()
	waitRemoved(t, dir)
}

// After SetClock, sessions read the set time, forward and backward; timeouts are unaffected.
func TestSetClock(t *testing.T) {
	if !Settable() {
		if _, err := StartSettable(""); err == nil {
			t.Error("started a server whose clock cannot be set")
		}
		return
	}
	s, err := StartSettable("")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	db, err := s.Empty(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, ahead := range []time.Duration{time.Hour, 0, -5 * time.Minute, 40 * time.Second} {
		if err := s.SetClock(ahead); err != nil {
			t.Fatal(err)
		}
		var at int64
		began := time.Now()
		err := db.QueryRowContext(t.Context(), "SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED) FROM"+
			" (SELECT SLEEP(0.2)) AS waited").Scan(&at)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < 200*time.Millisecond || took > 20*time.Second {
			t.Errorf("%s ahead: 200 ms took %s", ahead, took)
		}
		if off := time.UnixMicro(at).Sub(began) - ahead; off.Abs() > time.Second {
			t.Errorf("%s ahead: the server is off by %s", ahead, off)
		}
	}
}
