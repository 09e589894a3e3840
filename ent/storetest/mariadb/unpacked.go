package mariadb

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// mysqlSettings are the counterpart of settings for MySQL.
var mysqlSettings = []string{
	"--skip-networking", "--skip-log-bin", "--skip-name-resolve", "--performance-schema=off", "--mysqlx=off",
	"--character-set-server=utf8mb4", "--collation-server=utf8mb4_bin",
	"--innodb-buffer-pool-size=32M", "--innodb-redo-log-capacity=32M", "--innodb-flush-log-at-trx-commit=0",
	"--innodb-doublewrite=OFF", "--innodb-flush-method=nosync", "--max-connections=500",
}

// StartUnpacked is [Start] for a MySQL whose packages were unpacked into a folder together with the
// libraries that they need, as .ci/mysql does. If the folder contains "fresh", the data of an
// initialized server, it is copied instead of initializing again.
func StartUnpacked(folder, dir string, args ...string) (*Server, error) {
	p, err := unpacked(folder)
	if err != nil {
		return nil, err
	}
	return begin(p, dir, "", args)
}

// unpacked returns the program in a folder. It runs with the loader of its own libraries, which may
// be newer than the machine's.
func unpacked(folder string) (program, error) {
	usr := filepath.Join(folder, "usr")
	loaders, err := filepath.Glob(filepath.Join(usr, "lib", "*-linux-gnu*", "ld-linux-*.so.*"))
	if err != nil || len(loaders) == 0 {
		return program{}, errors.New("no unpacked mysql-server-core with its libraries is in the folder; see .ci/mysql")
	}
	libraries := filepath.Dir(loaders[0]) + ":" + filepath.Join(usr, "lib", "mysql", "private")
	share := filepath.Join(usr, "share", "mysql")
	p := program{settings: mysqlSettings, command: []string{
		loaders[0], "--library-path", libraries, filepath.Join(usr, "sbin", "mysqld"), "--no-defaults",
		"--basedir=" + usr,
		"--plugin-dir=" + filepath.Join(usr, "lib", "mysql", "plugin"), "--lc-messages-dir=" + share,
		"--character-sets-dir=" + filepath.Join(share, "charsets"), "--secure-file-priv=",
	}}
	p.install = func(data, tmp string) error { return initialize(p, filepath.Join(folder, "fresh"), data, tmp) }
	return p, nil
}

// initialize creates a data folder in which root has no password.
func initialize(p program, fresh, data, tmp string) error {
	if _, err := os.Stat(fresh); err == nil {
		if err := os.CopyFS(data, os.DirFS(fresh)); err != nil {
			return fmt.Errorf("install mysql: %w", err)
		}
		return nil
	}
	line := append(append([]string{}, p.command[1:]...), "--initialize-insecure", "--datadir="+data, "--tmpdir="+tmp)
	out, err := exec.Command(p.command[0], append(append(line, p.settings...), asUser()...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("install mysql: %w: %.1500s", err, out)
	}
	return nil
}
