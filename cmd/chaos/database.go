package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// database is the private server of a campaign. SQLite has none, and a Vitess cluster is external.
type database struct {
	flags
	dir    string
	server *mariadb.Server
	dead   bool // the cluster was killed
	ended  int  // how often it crashed by itself, as MySQL does on a full disk
}

// do runs a command for the Vitess cluster.
func do(ctx context.Context, command string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.WaitDelay = time.Second // processes that it leaves running may keep its output open
	if out, err := cmd.CombinedOutput(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%s: %w: %.300s", command, err, out)
	}
	return nil
}

// address returns the database's address for the program; "" is SQLite.
func (d *database) address() string {
	if d.server != nil {
		return d.server.DSN(name)
	}
	return d.Vitess
}

const name = "chaos"

// durable makes commits survive a crash of the server, though not of its machine.
var durable = []string{"--innodb-flush-log-at-trx-commit=2", "--innodb-doublewrite=1"}

// start starts the server, also after it was killed. On a full disk it may need several tries.
func (d *database) start(ctx context.Context) error {
	switch {
	case d.Engine == "sqlite", d.Engine == "vitess" && !d.dead:
		return nil
	case d.Engine == "vitess":
		d.dead = false
		return do(ctx, d.Up)
	}
	var err error
	for range 3 {
		if d.server, err = d.begin(); err == nil {
			return nil
		}
		pause(ctx, time.Second)
	}
	return err
}

func (d *database) begin() (*mariadb.Server, error) {
	if d.Engine == "mysql" {
		return mariadb.StartUnpacked(d.MySQL, d.dir, durable...)
	}
	return mariadb.Start(d.dir, durable...)
}

func (d *database) kill(ctx context.Context) error {
	if d.Engine == "vitess" {
		d.dead = true
		return do(ctx, d.Down)
	}
	d.close()
	return nil
}

// close stops the server if the campaign started it.
func (d *database) close() {
	if d.server != nil {
		d.server.Close()
		d.server = nil
	}
}

// revive restarts the server if it crashed by itself, as a supervisor does.
func (d *database) revive(ctx context.Context) error {
	if d.server == nil {
		return nil
	}
	conn, err := net.Dial("unix", filepath.Join(d.dir, "s"))
	if err == nil {
		return conn.Close()
	}
	d.ended++
	d.close()
	return d.start(ctx)
}

// disk is a small file system for everything that a campaign writes, so that it can be filled.
type disk struct {
	dir string
	err error // why it is not a separate file system
}

// mounted mounts a file system in memory, in megabytes, at a folder. Without permission the folder
// stays as it is.
func mounted(ctx context.Context, dir string, megabytes int) disk {
	size := fmt.Sprintf("size=%dm,mode=0700", megabytes)
	out, err := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", size, "storefront-chaos", dir).CombinedOutput()
	if err != nil {
		return disk{dir: dir, err: fmt.Errorf("mount a small file system: %w: %.200s", err, out)}
	}
	return disk{dir: dir}
}

func (d disk) ballast() string { return filepath.Join(d.dir, "ballast") }

func (d disk) fill() error {
	f, err := os.Create(d.ballast())
	for zeros := make([]byte, 1<<20); err == nil; {
		_, err = f.Write(zeros)
	}
	f.Close()
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}

func (d disk) free() error {
	if err := os.Remove(d.ballast()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// full reports whether less than 1 MB is left.
func (d disk) full() bool {
	var s syscall.Statfs_t
	return d.err == nil && syscall.Statfs(d.dir, &s) == nil && s.Bavail*uint64(s.Bsize) < 1<<20
}

// close unmounts it, even if an ending process still has files open.
func (d disk) close() {
	if d.err == nil {
		out, err := exec.Command("umount", "--lazy", d.dir).CombinedOutput()
		if err != nil {
			fmt.Fprintf(os.Stderr, "unmount %s: %v: %s\n", d.dir, err, out)
		}
	}
}
