package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// database is the private server of a campaign; with SQLite there is none, and a cluster of
// Vitess is given.
type database struct {
	engine, dir, unpacked string
	cluster               cluster
	settable              bool
	server                *mariadb.Server
	ahead                 time.Duration
	dead                  bool // a cluster that was killed
	ended                 int  // how often it ended without us, as MySQL does on a full disk
}

// cluster is one of Vitess: its address, and the commands that end it as a crash does, that
// begin it again and wait until it answers, and that spread it over other shards.
type cluster struct{ address, kill, start, reshard string }

// do runs a command of a cluster.
func do(ctx context.Context, command string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.WaitDelay = time.Second // what it leaves running may hold its output open
	if out, err := cmd.CombinedOutput(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%s: %w: %.300s", command, err, out)
	}
	return nil
}

// address is where the program finds the database; "" is SQLite.
func (d *database) address() string {
	if d.server != nil {
		return d.server.DSN(name)
	}
	return d.cluster.address
}

// name is that of the database of a campaign.
const name = "chaos"

// durable lets commits survive the end of the server, though not that of its machine.
var durable = []string{"--innodb-flush-log-at-trx-commit=2", "--innodb-doublewrite=1"}

// start begins the server, again after it was killed, with its clock where it was. It may
// need several tries while the disk is full.
func (d *database) start(ctx context.Context) error {
	switch {
	case d.engine == "sqlite", d.engine == "vitess" && !d.dead:
		return nil
	case d.engine == "vitess":
		d.dead = false
		return do(ctx, d.cluster.start)
	}
	var err error
	for range 3 {
		if d.server, err = d.begin(); err == nil {
			return d.set(d.ahead)
		}
		pause(ctx, time.Second)
	}
	return err
}

func (d *database) begin() (*mariadb.Server, error) {
	switch {
	case d.engine == "mysql":
		return mariadb.StartUnpacked(d.unpacked, d.dir, durable...)
	case d.settable:
		return mariadb.StartSettable(d.dir, durable...)
	}
	return mariadb.Start(d.dir, durable...)
}

// kill ends the database as a crash does.
func (d *database) kill(ctx context.Context) error {
	if d.engine == "vitess" {
		d.dead = true
		return do(ctx, d.cluster.kill)
	}
	d.close()
	return nil
}

// close ends the server, if it is ours.
func (d *database) close() {
	if d.server != nil {
		d.server.Close()
		d.server = nil
	}
}

// revive starts the server again where it ended by itself, as a supervisor of services does.
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

// set puts the server's clock so far before the machine's.
func (d *database) set(ahead time.Duration) error {
	if !d.settable || d.server == nil {
		return nil
	}
	d.ahead = ahead
	return d.server.SetClock(ahead)
}

// disk is a small file system for all that a campaign writes, so that it can be filled.
type disk struct {
	dir string
	err error // why it is none of its own
}

// mounted makes a file system of so many megabytes in memory at a folder. Where that is not
// allowed the folder stays as it is.
func mounted(ctx context.Context, dir string, megabytes int) disk {
	size := fmt.Sprintf("size=%dm,mode=0700", megabytes)
	out, err := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", size, "storefront-chaos", dir).CombinedOutput()
	if err != nil {
		return disk{dir: dir, err: fmt.Errorf("mount a small file system: %w: %.200s", err, out)}
	}
	return disk{dir: dir}
}

func (d disk) ballast() string { return filepath.Join(d.dir, "ballast") }

// fill leaves no byte.
func (d disk) fill() error {
	f, err := os.Create(d.ballast())
	if err != nil {
		return ignoreFull(err)
	}
	defer f.Close()
	_, err = io.Copy(f, endless{})
	return ignoreFull(err)
}

func ignoreFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}

// endless is a source of zeros.
type endless struct{}

func (endless) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// free gives all of it back.
func (d disk) free() error {
	if err := os.Remove(d.ballast()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// close unmounts it, also where a process that ends still has it open.
func (d disk) close() {
	if d.err == nil {
		out, err := exec.Command("umount", "--lazy", d.dir).CombinedOutput()
		if err != nil {
			fmt.Fprintf(os.Stderr, "unmount %s: %v: %s\n", d.dir, err, out)
		}
	}
}
