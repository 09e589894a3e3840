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

// gone waits until a file is removed, which the leash does last.
func gone(t *testing.T, path string) {
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
	gone(t, filepath.Dir(s.socket))
}

// childEnv makes the test binary the process that starts a server.
const childEnv = "STOREFRONT_MARIADB_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) == "" {
		os.Exit(m.Run())
	}
	s, err := Start("")
	if err != nil {
		os.Exit(1)
	}
	os.Stdout.WriteString(filepath.Dir(s.socket) + "\n")
	<-s.ended // until the parent kills this process
}

// TestKilledOwner: a server does not survive the process that started it, even
// when that had no time to say so.
func TestKilledOwner(t *testing.T) {
	if !Installed() {
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1")
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
	gone(t, strings.TrimSpace(dir))
}
