package mariadb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Shared returns the server of the go test command that runs this process. The first test binary
// that asks for it starts it, the others use the same one, and it ends with the command; Close does
// nothing. A process that no go command runs gets a server of its own, as from [Start].
func Shared() (*Server, error) {
	command := goCommand(os.Getppid())
	if command == 0 || !Installed() {
		return Start("")
	}
	dir := fmt.Sprintf("/tmp/sfdb-%d-%d", os.Geteuid(), command)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("share mariadb: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("share mariadb: %w", err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("share mariadb: %w", err)
	}
	s := &Server{socket: filepath.Join(dir, "s")}
	if s.answers() {
		return s, nil
	}
	if _, err := start(installed(), home{dir: dir, temporary: true, owner: command}, "", nil); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) answers() bool {
	db, err := s.open("")
	if err != nil {
		return false
	}
	defer db.Close()
	return db.Ping() == nil
}

// goCommand returns the nearest process from pid upwards that is a go command, or 0: go test runs a
// binary itself or by another program (-exec). It is 0 on systems without /proc.
func goCommand(pid int) int {
	for range 3 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0
		}
		_, after, _ := strings.Cut(string(stat), "(")
		name, fields, _ := strings.Cut(after, ") ")
		if name == "go" {
			return pid
		}
		var state string
		if _, err := fmt.Sscan(fields, &state, &pid); err != nil {
			return 0
		}
	}
	return 0
}
