// Package mariadb runs a private MariaDB server, or an unpacked MySQL, for tests, load runs and the
// migration generator: on a socket in a temporary folder, without network, ended with the process
// that started it.
package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver with which Start pings the server
)

// Server is a running server.
type Server struct {
	socket string
	clock  string    // the file with the time offset; "" for the machine's clock
	leash  io.Closer // closed by us, or by the kernel when this process dies; nil if it is shared
	ended  chan struct{}
}

// Installed reports whether MariaDB's programs are installed on this machine.
func Installed() bool { return find("mariadbd") != "" && find("mariadb-install-db") != "" }

// find returns the path of a server program, "" if there is none. Distributions often install them
// outside PATH.
func find(name string) string {
	if p, err := exec.LookPath(name); err == nil {
		return p
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"} {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p
		}
	}
	return ""
}

// settings suit tests: small and without durability. Later arguments win, so a caller can ask for
// durable commits.
var settings = []string{
	"--skip-networking", "--skip-log-bin", "--skip-name-resolve", "--performance-schema=off",
	"--character-set-server=utf8mb4", "--collation-server=utf8mb4_bin",
	"--innodb-buffer-pool-size=32M", "--innodb-log-file-size=16M", "--innodb-flush-log-at-trx-commit=0",
	"--innodb-doublewrite=0", "--innodb-flush-method=nosync", "--debug-no-sync", "--skip-sync-frm",
	"--max-connections=500",
}

// Durable are the settings of a server whose commits survive a power failure, as in production.
var Durable = []string{
	"--innodb-flush-log-at-trx-commit=1", "--innodb-doublewrite=1", "--innodb-flush-method=O_DIRECT",
	"--innodb-log-file-size=256M", "--skip-debug-no-sync", "--sync-frm",
}

// Start installs and starts a server in dir, which must be short: the path of a socket has at most
// 107 bytes. An empty dir means a temporary folder that is removed with the server. args are
// further settings of mariadbd.
func Start(dir string, args ...string) (*Server, error) {
	if !Installed() {
		return nil, errors.New("mariadbd is not installed")
	}
	return begin(installed(), dir, "", args)
}

// program is a server program: its command, its settings for tests, and the function that creates
// its data folder.
type program struct {
	command, settings []string
	install           func(data, tmp string) error
}

// installed returns the machine's MariaDB.
func installed() program {
	return program{command: []string{find("mariadbd"), "--no-defaults"}, settings: settings, install: install}
}

func install(data, tmp string) error {
	args := append([]string{"--no-defaults", "--datadir=" + data, "--tmpdir=" + tmp,
		"--auth-root-authentication-method=normal", "--skip-test-db"}, settings...)
	cmd := exec.Command(find("mariadb-install-db"), append(args, asUser()...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		// The error comes first, followed by general advice.
		return fmt.Errorf("install mariadb: %w: %.1500s", err, out)
	}
	return nil
}

// asUser returns the argument that lets a server run as root, which it otherwise refuses.
func asUser() []string {
	if os.Geteuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}

// begin starts a program as [Start] does; with a faketime library its clock can be set.
func begin(p program, dir, library string, args []string) (*Server, error) {
	temporary := dir == ""
	if temporary {
		var err error
		if dir, err = os.MkdirTemp("/tmp", "sfdb"); err != nil {
			return nil, fmt.Errorf("start mariadb: %w", err)
		}
	}
	s, err := start(p, home{dir: dir, temporary: temporary}, library, args)
	if err != nil && temporary {
		os.RemoveAll(dir)
	}
	return s, err
}

// home is where a server keeps its files, and how long.
type home struct {
	dir       string
	temporary bool // the folder is removed with the server
	owner     int  // the process with which the server ends; 0 for this one
}

// leash starts the server and waits until its owner has ended: another process, or the one that
// holds the other end of standard input, which the kernel closes whatever ends that process.
const leash = `trap '' INT HUP TERM
dir=$1 temporary=$2 owner=$3; shift 3
"$@" >"$dir/log" 2>&1 </dev/null &
server=$!
if [ $owner = 0 ]; then read _; else while kill -0 $owner; do sleep 1; done; fi
kill -9 $server
wait $server
[ "$temporary" = true ] && rm -rf "$dir"
`

func start(p program, h home, library string, args []string) (*Server, error) {
	dir := h.dir
	// A starting server deletes other files from its folder for temporary tables, so each server
	// has its own.
	tmp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, fmt.Errorf("start mariadb: %w", err)
	}
	data := filepath.Join(dir, "data")
	if _, err := os.Stat(filepath.Join(data, "mysql")); err != nil {
		if err := p.install(data, tmp); err != nil {
			return nil, err
		}
	}
	s := &Server{socket: filepath.Join(dir, "s"), ended: make(chan struct{})}
	line := []string{"-c", leash, "leash", dir, fmt.Sprint(h.temporary), fmt.Sprint(h.owner)}
	if library != "" {
		s.clock = filepath.Join(dir, "clock")
		if err := s.SetClock(0); err != nil {
			return nil, err
		}
		line = append(line, withClock(library, s.clock)...)
	}
	line = append(append(line, p.command...), "--datadir="+data, "--tmpdir="+tmp, "--socket="+s.socket,
		"--pid-file="+filepath.Join(dir, "pid"))
	line = append(append(append(line, p.settings...), asUser()...), args...)
	cmd := exec.Command("/bin/sh", line...)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start mariadb: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start mariadb: %w", err)
	}
	s.leash = pipe
	go func() { cmd.Wait(); close(s.ended) }()
	if err := s.await(dir); err != nil {
		if h.owner == 0 {
			s.Close()
		}
		return nil, err
	}
	return s, nil
}

func (s *Server) await(dir string) error {
	db, err := s.open("")
	if err != nil {
		return fmt.Errorf("start mariadb: %w", err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(s.socket); err == nil && db.PingContext(ctx) == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			return fmt.Errorf("start mariadb: it does not answer: %s", tail(log))
		}
	}
}

func tail(out []byte) string {
	return strings.TrimSpace(string(out[max(0, len(out)-800):]))
}

// Close kills the server and waits until it has ended. A shared server goes on.
func (s *Server) Close() error {
	if s.leash == nil {
		return nil
	}
	err := s.leash.Close()
	<-s.ended
	return err
}

func (s *Server) open(name string) (*sql.DB, error) {
	return sql.Open("mysql", "root@unix("+s.socket+")/"+name)
}

// DSN returns the address of a database on this server, for ent.Config.
func (s *Server) DSN(name string) string { return "mysql://root@unix(" + s.socket + ")/" + name }

// Create creates an empty database with the production collation, and returns its address.
func (s *Server) Create(ctx context.Context, name string) (string, error) {
	db, err := s.open("")
	if err != nil {
		return "", fmt.Errorf("create database: %w", err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx,
		"CREATE DATABASE `"+name+"` CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"); err != nil {
		return "", fmt.Errorf("create database: %w", err)
	}
	return s.DSN(name), nil
}

// Empty creates an empty database and opens it with the plain driver.
func (s *Server) Empty(ctx context.Context, name string) (*sql.DB, error) {
	if _, err := s.Create(ctx, name); err != nil {
		return nil, err
	}
	return s.open(name + "?parseTime=true&collation=utf8mb4_bin")
}
