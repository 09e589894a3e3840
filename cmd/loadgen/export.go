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

	"github.com/storefront-go/storefront/cmd/internal/baseline"
	"github.com/storefront-go/storefront/cmd/internal/baseline/corpus"
	"github.com/storefront-go/storefront/ent"
	clock "github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
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
	var raws, plains, zips []exportRun
	for range c.Rounds {
		raw, err := rawExport(ctx, d, filepath.Join(s.dir, "raw.csv"))
		if err != nil {
			return err
		}
		raws = append(raws, raw)
		plain, err := served(ctx, all, d, `{"kind": "orders"}`)
		if err != nil {
			return err
		}
		if plain.rows != raw.rows || plain.bytes != raw.bytes {
			return fmt.Errorf("the service wrote %d rows and %d bytes, the raw query %d and %d", plain.rows,
				plain.bytes, raw.rows, raw.bytes)
		}
		plains = append(plains, plain)
		zip, err := served(ctx, all, d, `{"kind": "orders", "compression": "gzip"}`)
		if err != nil {
			return err
		}
		zips = append(zips, zip)
	}
	about := []string{
		fmt.Sprintf("Export of %d orders with two lines each: %d MB of CSV.", c.Orders, raws[0].bytes>>20),
	}
	head := []string{
		"export", "engine", "seconds", "rows/s", "of the raw query", "CPU s", "memory above idle, MB", "first byte, ms",
	}
	raw := middleOf(raws)
	for _, line := range []struct {
		name string
		run  exportRun
		rate string
	}{
		{"raw streaming query", raw, "1"},
		{"CSV", middleOf(plains), ""},
		{"CSV, gzip", middleOf(zips), ""},
	} {
		x, memory, first := line.run, "", ""
		if line.rate == "" {
			ratio := raw.took.Seconds() / x.took.Seconds()
			line.rate = least(ratio, 0.6, "%.2f")
			if strings.HasSuffix(line.name, "gzip") {
				line.rate = most(x.took.Seconds()/middleOf(plains).took.Seconds(), 2, "%.2f × the plain one")
			}
			memory, first = most(float64(x.memory)/(1<<20), 64, "%.0f"), most(x.first.Seconds()*1000, 100, "%.0f")
		}
		r.add(about, head, line.name, engine, fmt.Sprintf("%.2f", x.took.Seconds()),
			fmt.Sprintf("%.0f", float64(x.rows)/x.took.Seconds()), line.rate, fmt.Sprintf("%.2f", x.cpu.Seconds()),
			memory, first)
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

// rawExport writes the file with one streaming query in this process.
func rawExport(ctx context.Context, d *dataset, path string) (x exportRun, err error) {
	s, err := ent.Open(ctx, ent.Config{Database: d.address})
	if err != nil {
		return x, err
	}
	defer s.Close()
	id, err := xid.Store.Parse(d.corpus.Shops[0].ID)
	if err != nil {
		return x, err
	}
	f, err := os.Create(path)
	if err != nil {
		return x, err
	}
	defer os.Remove(path)
	defer f.Close()
	before, err := used(d.pid, os.Getpid())
	if err != nil {
		return x, err
	}
	start := time.Now()
	if x.rows, err = baseline.Export(ctx, s, id, clock.Now(), f); err != nil {
		return x, err
	}
	if err := f.Sync(); err != nil {
		return x, err
	}
	x.took = time.Since(start)
	after, err := used(d.pid, os.Getpid())
	if err != nil {
		return x, err
	}
	x.cpu = after - before
	x.bytes, err = f.Seek(0, io.SeekEnd)
	return x, err
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
