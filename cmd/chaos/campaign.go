package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/graph/engine/fleet"
	"github.com/storefront-go/storefront/rest"
)

type campaign struct {
	flags
	log   io.Writer
	dir   string
	began time.Time
	disk  disk
	db    *database

	servers, dispatchers []*process
	receiver             *receiver
	crew                 *crew
	ledger               *Ledger

	// work ends when the campaign is over; failed ends it early with a cause.
	work   context.Context
	failed func(error)
	group  sync.WaitGroup
}

// settling is how long pending work may take after the last write: a lease that expires, and
// retries after 5 s and 10 s.
const settling = 90 * time.Second

// run runs a campaign and returns its ledger. An error means that the campaign did not finish.
func run(ctx context.Context, f flags, log io.Writer) (*Ledger, error) {
	dir, err := os.MkdirTemp("/tmp", "sfchaos") // the path of a socket must be short
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := &campaign{flags: f, log: log, dir: dir, began: time.Now(), disk: mounted(ctx, dir, 512+12*f.Kills),
		ledger: &Ledger{Engine: f.Engine, Seed: f.Seed, Endpoints: map[string][]string{}, Rows: map[string][]string{}}}
	defer c.disk.close()
	living, end := context.WithCancel(ctx)
	defer func() { // first the processes, then what they use
		end()
		for _, p := range c.processes() {
			<-p.over
		}
		c.db.close()
	}()
	work, fail := context.WithCancelCause(ctx)
	c.work, c.failed = work, func(err error) {
		if err != nil {
			fail(err)
		}
	}
	c.db = &database{flags: f, dir: filepath.Join(dir, "db")}
	if err := c.open(living); err != nil {
		return nil, err
	}
	defer c.receiver.server.Close()
	for _, part := range []func() error{c.disturb, c.settle} {
		if err := part(); err != nil {
			return nil, fmt.Errorf("%w\n%s", cmp.Or(context.Cause(work), err), strings.Join(errorsIn(dir), "\n"))
		}
	}
	c.ledger.Errors = errorsIn(dir)
	return c.ledger, nil
}

func (c *campaign) processes() []*process { return append(slices.Clone(c.servers), c.dispatchers...) }

func (c *campaign) open(living context.Context) error {
	if err := os.MkdirAll(c.db.dir, 0o700); err != nil {
		return err
	}
	if err := c.db.start(c.work); err != nil {
		return err
	}
	where := []string{"--data", filepath.Join(c.dir, "data"), "--log-format", "text", "--log-level", "warn"}
	count := 1
	if c.db.server != nil {
		if _, err := c.db.server.Create(c.work, name); err != nil {
			return err
		}
	}
	if address := c.db.address(); address != "" {
		where, count = append(where, "--database", address), 2
	}
	serve := append([]string{"serve", "--json", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0",
		"--rate-limit", "0", "--store-rate-limit", "0", "--allow-loopback-webhooks"}, where...)
	if err := c.seedDemo(serve); err != nil {
		return err
	}
	if count > 1 {
		serve = append(serve, "--no-dispatch")
	}
	dispatch := append([]string{"dispatch", "--json", "--admin-addr", "127.0.0.1:0", "--allow-loopback-webhooks"},
		where...)
	for i := range count {
		c.servers = append(c.servers, supervise(living, fmt.Sprint("server-", i+1), c.dir, c.Binary, serve...))
		c.dispatchers = append(c.dispatchers,
			supervise(living, fmt.Sprint("dispatcher-", i+1), c.dir, c.Binary, dispatch...))
	}
	if err := c.await(c.work); err != nil {
		return err
	}
	return c.hire()
}

func (c *campaign) seedDemo(serve []string) error {
	ctx, end := context.WithCancel(c.work)
	args := append(slices.Clone(serve), "--demo", "--demo-orders", "3")
	if c.Engine != "sqlite" {
		args = append(args, "--migrate")
	}
	p := supervise(ctx, "demo", c.dir, c.Binary, args...)
	defer func() { end(); <-p.over }()
	return p.await(ctx)
}

func (c *campaign) await(ctx context.Context) error {
	if err := c.db.revive(ctx); err != nil {
		return err
	}
	for _, p := range c.processes() {
		if err := p.await(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *campaign) hire() error {
	b, err := os.ReadFile(filepath.Join(c.dir, "data", demo.FileName))
	if err != nil {
		return err
	}
	var f demo.File
	if err := json.Unmarshal(b, &f); err != nil {
		return fmt.Errorf("read the demo's credentials: %w", err)
	}
	if len(f.Stores) == 0 {
		return errors.New("the demo has no store")
	}
	store := f.Stores[0]
	c.crew = &crew{client: newClient(c.servers), key: store.Keys["all"], staff: store.StaffToken,
		ids: map[string][]string{}}
	err = c.crew.list(c.work, c.crew.key, "/orders", func(page json.RawMessage) error {
		var rows []struct{ ID string }
		err := json.Unmarshal(page, &rows)
		for _, r := range rows {
			c.crew.order = r.ID
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := c.crew.invoice(c.work); err != nil {
		return err
	}
	if c.receiver, err = listen(c.work, c.Seed); err != nil {
		return err
	}
	for _, path := range []string{"/all", moody, "/orders"} {
		if err := c.register(path); err != nil {
			return err
		}
	}
	return nil
}

// register creates an endpoint before the faults begin: only the first answer has the secret.
func (c *campaign) register(path string) error {
	c.ledger.Endpoints[path] = subscribed(path)
	body, err := json.Marshal(map[string]any{"url": c.receiver.url + path, "events": subscribed(path)})
	if err != nil {
		return err
	}
	_, status, _, answer := c.crew.insist(c.work, request{As: c.crew.key, Method: http.MethodPost,
		Path: rest.Base + "/webhooks", Body: string(body), Key: "endpoint" + path})
	var made struct{ Secret string }
	if err := json.Unmarshal(answer, &made); err != nil || made.Secret == "" {
		return errors.Join(err, unexpected(c.work, "an endpoint", status, answer))
	}
	c.receiver.expect(path, made.Secret)
	return nil
}

// disturb injects faults while the crew writes.
func (c *campaign) disturb() error {
	able, undone := c.able()
	c.ledger.Undone = undone
	until, rest := context.WithTimeout(c.work, c.Time)
	defer rest()
	source := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(c.Seed, n)) }
	for i := range uint64(4) {
		c.group.Go(func() { c.failed(c.crew.author(c.work, until, source(100+i))) })
	}
	for i := range c.Billers {
		c.group.Go(func() { c.failed(c.crew.biller(c.work, until, source(uint64(300+i)))) })
	}
	c.group.Go(func() { c.failed(c.crew.reader(c.work, until)) })
	c.group.Go(func() { c.failed(c.crew.exporter(c.work, until, source(200))) })
	faults := plan(c.Seed, c.Kills, able)
	if c.Reshard != "" {
		faults = slices.Insert(faults, len(faults)/2, Fault{Kind: Reshard})
	}
	for i, f := range faults {
		pause(until, f.Rest)
		if until.Err() != nil {
			break
		}
		f.At = time.Since(c.began)
		if err := c.strike(c.work, f); err != nil {
			return err
		}
		c.ledger.Faults = append(c.ledger.Faults, f)
		fmt.Fprintf(c.log, "%4d  %7.1fs  %s\n", i+1, f.At.Seconds(), f.Kind)
		c.again(8)
	}
	pause(until, time.Second)
	rest()
	return nil
}

// again resends the last n writes, or all for 0, and revives a database that crashes meanwhile.
func (c *campaign) again(n int) {
	ctx, end := context.WithCancel(c.work)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for pause(ctx, time.Second); ctx.Err() == nil; pause(ctx, time.Second) {
			c.failed(c.db.revive(c.work))
		}
	}()
	c.crew.again(c.work, c.crew.answered(n))
	end()
	<-over
}

func (c *campaign) settle() error {
	var cancel context.CancelFunc
	done := make(chan struct{})
	go func() { c.group.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(settling):
		c.failed(errors.New("writers, readers and exports do not end"))
	}
	if err := context.Cause(c.work); err != nil {
		return err
	}
	c.receiver.relent()
	c.work, cancel = context.WithTimeout(c.work, 30*time.Minute)
	defer cancel()
	c.again(0)
	c.ledger.Waiting = c.drain()
	if c.disk.full() { // then nothing could be delivered
		return errors.New("the campaign filled its small file system: run it with fewer faults")
	}
	for _, list := range []string{"/products", "/orders"} {
		if err := c.rows(list); err != nil {
			return err
		}
	}
	var err error
	if c.ledger.Invoices, err = c.crew.invoices(c.work); err != nil {
		return err
	}
	c.ledger.Writes, c.ledger.Readings, c.ledger.Deliveries = c.crew.writes, c.crew.readings, c.receiver.all()
	c.ledger.Traffic = c.crew.traffic
	c.ledger.Traffic.Ended = c.db.ended
	for _, p := range c.processes() {
		c.ledger.Traffic.Ended += int(p.ended.Load())
	}
	return nil
}

func (c *campaign) rows(list string) error {
	return c.crew.list(c.work, c.crew.key, list, func(page json.RawMessage) error {
		var rows []struct {
			ID, SKU string
			Number  json.RawMessage
			Tags    []string
		}
		if err := json.Unmarshal(page, &rows); err != nil {
			return err
		}
		for _, r := range rows {
			marks := r.Tags
			if list == "/products" {
				marks = []string{r.SKU}
			} else {
				marks = append(marks, "order number "+string(r.Number))
			}
			for _, mark := range marks {
				if strings.HasPrefix(mark, "c") || strings.HasPrefix(mark, "order number ") {
					c.ledger.Rows[mark] = append(c.ledger.Rows[mark], r.ID)
				}
			}
		}
		return nil
	})
}

func (c *campaign) drain() (left []string) {
	limit := time.Now().Add(settling)
	for time.Now().Before(limit) && c.work.Err() == nil {
		if left = c.left(); len(left) == 0 {
			break
		}
		pause(c.work, 500*time.Millisecond)
	}
	if out, err := c.command("doctor", "deliveries", "--json"); err != nil {
		left = append(left, fmt.Sprintf("doctor deliveries: %v: %s", err, out))
	}
	return left
}

// left returns the pending work as the program counts it.
func (c *campaign) left() (list []string) {
	out, err := c.command("status", "--json")
	if err != nil {
		return []string{fmt.Sprintf("status: %v: %s", err, out)}
	}
	return leftOver(out)
}

func leftOver(out []byte) (list []string) {
	var v struct{ Shards []fleet.Shard }
	if err := json.Unmarshal(out, &v); err != nil || len(v.Shards) == 0 {
		return []string{fmt.Sprintf("status cannot be read: %v", err)}
	}
	for _, s := range v.Shards {
		for _, w := range []struct {
			name string
			n    int
		}{
			{"events in the outbox", s.Outbox.Waiting}, {"events set aside", s.SetAside}, {"queues", s.Queues.Waiting},
			{"deliveries", s.Deliveries.Waiting}, {"exports that wait", s.Jobs.ExportsQueued},
			{"exports that run", s.Jobs.ExportsRunning}, {"emails", s.Jobs.Mails.Waiting}, {"themes", s.Jobs.Themes},
			{"redactions", s.Jobs.Redactions},
		} {
			if w.n > 0 {
				list = append(list, fmt.Sprintf("%d %s", w.n, w.name))
			}
		}
	}
	return list
}

func (c *campaign) command(args ...string) ([]byte, error) {
	args = append(args, "--data", filepath.Join(c.dir, "data"))
	if address := c.db.address(); address != "" {
		args = append(args, "--database", address)
	}
	ctx, cancel := context.WithTimeout(c.work, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Binary, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	return cmd.Output()
}
