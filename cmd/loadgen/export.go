package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
)

// exportsCommand prints the table of exports.
type exportsCommand struct {
	dataFlags
	Binary string `type:"path" help:"Measure this program instead of one that is built now."`
	Rounds int    `default:"3" help:"Rounds of everything; the medians are shown."`
}

// Run measures exports of all orders of one store.
func (c *exportsCommand) Run(ctx context.Context) error {
	s := c.store()
	s.dir += "-exports"
	s.size = corpus.Size{Orders: c.Orders, Stores: 1, Share: 100, Ties: 5000, Products: 1000}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	if err := ready(ctx, &c.Binary, s.dir); err != nil {
		return err
	}
	r := &hookReport{}
	defer r.print(os.Stdout)
	for _, engine := range c.engines() {
		if err := c.engine(ctx, r, s, engine); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return nil
}

// exportRun is what one export took.
type exportRun struct {
	took, first time.Duration
	cpu         time.Duration // of the server and the database
	memory      int64         // above idle
	rows, bytes int64
}

func (c *exportsCommand) engine(ctx context.Context, r *hookReport, s store, engine string) error {
	d, err := s.open(ctx, engine)
	if err != nil {
		return err
	}
	defer d.close()
	all := newChildren(s.dir, c.Binary, d)
	var plains, zips []exportRun
	for range c.Rounds {
		plain, err := served(ctx, all, d, `{"kind": "orders"}`)
		if err != nil {
			return err
		}
		plains = append(plains, plain)
		zip, err := served(ctx, all, d, `{"kind": "orders", "compression": "gzip"}`)
		if err != nil {
			return err
		}
		zips = append(zips, zip)
	}
	about := []string{
		fmt.Sprintf("Export of %d orders with two lines each: %d MB of CSV.", c.Orders, plains[0].bytes>>20),
	}
	head := []string{
		"export", "engine", "seconds", "rows/s", "CPU s", "memory above idle, MB", "first byte, ms",
	}
	for _, line := range []struct {
		name string
		run  exportRun
	}{{"CSV", middleOf(plains)}, {"CSV, gzip", middleOf(zips)}} {
		x := line.run
		r.add(about, head, line.name, engine, fmt.Sprintf("%.2f", x.took.Seconds()),
			fmt.Sprintf("%.0f", float64(x.rows)/x.took.Seconds()), fmt.Sprintf("%.2f", x.cpu.Seconds()),
			most(float64(x.memory)/(1<<20), 64, "%.0f"), most(x.first.Seconds()*1000, 100, "%.0f"))
	}
	return nil
}

// middleOf is the median of every value on its own.
func middleOf(runs []exportRun) exportRun {
	pick := func(f func(exportRun) float64) float64 {
		list := make([]float64, len(runs))
		for i, x := range runs {
			list[i] = f(x)
		}
		return median(list)
	}
	return exportRun{
		took:   time.Duration(pick(func(x exportRun) float64 { return float64(x.took) })),
		first:  time.Duration(pick(func(x exportRun) float64 { return float64(x.first) })),
		cpu:    time.Duration(pick(func(x exportRun) float64 { return float64(x.cpu) })),
		memory: int64(pick(func(x exportRun) float64 { return float64(x.memory) })),
		rows:   runs[0].rows, bytes: runs[0].bytes,
	}
}

// used is the CPU time of several processes.
func used(pids ...int) (sum time.Duration, err error) {
	for _, pid := range pids {
		d, err := cpu(pid)
		if err != nil {
			return 0, err
		}
		sum += d
	}
	return sum, nil
}

// exportJob is a job as the API shows it.
type exportJob struct {
	ID          string     `json:"id"`
	Status      string     `json:"status"`
	RowCount    int64      `json:"row_count"`
	Size        int64      `json:"file_size_bytes"`
	StartedAt   *time.Time `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at"`
}

// served starts a server, lets it export, and watches.
func served(ctx context.Context, all *children, d *dataset, body string) (x exportRun, err error) {
	p, err := all.server(ctx, "--no-dispatch")
	if err != nil {
		return x, err
	}
	defer p.stop()
	blobs := filepath.Join(all.dir, "server-"+d.engine, "blobs")
	if err := os.RemoveAll(filepath.Join(blobs, "exports")); err != nil {
		return x, err
	}
	idle, err := resident(p.pid())
	if err != nil {
		return x, err
	}
	before, err := used(d.pid, p.pid())
	if err != nil {
		return x, err
	}
	var job exportJob
	if err := p.api(ctx, d.corpus.Shops[0].Key, http.MethodPost, "/exports", body, &job); err != nil {
		return x, err
	}
	written := firstByte(ctx, filepath.Join(blobs, "exports"))
	if err := p.exported(ctx, d.corpus.Shops[0].Key, &job); err != nil {
		return x, err
	}
	after, err := used(d.pid, p.pid())
	if err != nil {
		return x, err
	}
	most, err := peak(p.pid())
	x = exportRun{took: job.CompletedAt.Sub(*job.StartedAt), first: max(written.Sub(*job.StartedAt), 0),
		cpu: after - before, memory: most - idle, rows: job.RowCount, bytes: job.Size}
	return x, err
}

// exported waits until a job is completed.
func (p *child) exported(ctx context.Context, key string, job *exportJob) error {
	for job.Status != "completed" {
		if job.Status == "failed" || ctx.Err() != nil {
			return fmt.Errorf("the export is %s: %w", job.Status, ctx.Err())
		}
		time.Sleep(20 * time.Millisecond)
		if err := p.api(ctx, key, http.MethodGet, "/exports/"+job.ID, "", job); err != nil {
			return err
		}
	}
	return nil
}

// firstByte waits for a file that is not empty.
func firstByte(ctx context.Context, dir string) time.Time {
	for ctx.Err() == nil {
		found := false
		filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // it may not be there yet
			if err == nil && !e.IsDir() {
				if info, err := e.Info(); err == nil && info.Size() > 0 {
					found = true
				}
			}
			return nil
		})
		if found {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return time.Now()
}

// api sends one request and reads its answer.
func (p *child) api(ctx context.Context, key, method, path, body string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+p.addr+root+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if method != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", strconv.FormatInt(time.Now().UnixNano(), 36))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %d: %.300s", method, path, res.StatusCode, b)
	}
	return json.Unmarshal(b, into)
}
