package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/corpus"
	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/storetest"
	exports "github.com/storefront-go/storefront/graph/engine/export"
)

// some orders fill two parts of a file, and many one more part than there are kills: an order has
// about 1 KB, a part 8 MB.
const (
	some = 15_000 / slower
	many = max(15_000, 45_000/slower)
)

// filled runs f with a migrated database that has so many orders, on each engine, in parallel with
// other tests.
func filled(t *testing.T, orders int, f func(t *testing.T, s settings, key string)) {
	t.Helper()
	t.Parallel()
	size := corpus.Size{Orders: orders, Stores: 1, Share: 100, Ties: 500, Products: 200}
	run := func(t *testing.T, data, database string) {
		s := settings{Data: data, Args: []string{"--migrate", "--rate-limit", "0", "--database", database}}
		if code := start(t, s).stop(t); code != 0 {
			t.Fatalf("the program ended with %d", code)
		}
		store, err := ent.Open(t.Context(), ent.Config{Database: database})
		if err != nil {
			t.Fatal(err)
		}
		c, err := corpus.Fill(t.Context(), store, size)
		if err := cmpErr(err, store.Close()); err != nil {
			t.Fatal(err)
		}
		f(t, s, c.Shops[0].Key)
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		data := t.TempDir()
		run(t, data, "sqlite:"+filepath.Join(data, "storefront.db"))
	})
	if storetest.HaveMySQL(t) {
		t.Run("mysql", func(t *testing.T) {
			t.Parallel() // and its database then, as together does
			run(t, t.TempDir(), storetest.EmptyMySQL(t))
		})
	}
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// job is an export as the API shows it.
type job struct {
	ID, Status, Sha256 string
	RowCount           int64 `json:"row_count"`
	Size               int64 `json:"file_size_bytes"`
	Progress           struct {
		RowsDone int64 `json:"rows_done"`
	}
	DownloadURL string `json:"download_url"`
}

func (p *program) export(t *testing.T, key, body string) (j job) {
	t.Helper()
	a, err := p.do(t, request{As: key, Path: base + "/exports", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != http.StatusAccepted || a.Header.Get("Location") == "" {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	a.decode(t, &j)
	return j
}

// reached polls the job until ok accepts it.
func (p *program) reached(t *testing.T, key, id string, ok func(job) bool) (j job) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		a, err := p.do(t, request{As: key, Path: base + "/exports/" + id})
		if err != nil {
			t.Fatal(err)
		}
		a.decode(t, &j)
		if ok(j) {
			return j
		}
		if j.Status == "failed" || j.Status == "cancelled" {
			t.Fatalf("the job is %s", j.Status)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the job is %+v", j)
		}
	}
}

func completed(j job) bool { return j.Status == "completed" }

// download downloads a job's file and checks it against the job.
func (p *program) download(t *testing.T, j job) []byte {
	t.Helper()
	u, err := url.Parse(j.DownloadURL)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.do(t, request{Path: u.RequestURI()})
	if err != nil || a.Status != http.StatusOK {
		t.Fatalf("%v, %v", a, err)
	}
	sum := sha256.Sum256(a.Body)
	if int64(len(a.Body)) != j.Size || hex.EncodeToString(sum[:]) != j.Sha256 {
		t.Fatalf("%d bytes with %x; the job says %d and %s", len(a.Body), sum, j.Size, j.Sha256)
	}
	return a.Body
}

// TestExportSurvivesKills: a file whose writer is killed three times, while orders get notes, is
// byte for byte that of an undisturbed run.
func TestExportSurvivesKills(t *testing.T) {
	storetest.Campaign(t)
	storetest.Sequential(t)
	filled(t, many, func(t *testing.T, s settings, key string) {
		p := start(t, s)
		calm := p.reached(t, key, p.export(t, key, `{"kind": "orders", "compression": "gzip"}`).ID, completed)
		want := p.download(t, calm)
		hit := p.export(t, key, `{"kind": "orders", "compression": "gzip"}`)
		for range 3 {
			was := p.reached(t, key, hit.ID, func(j job) bool {
				return completed(j) || j.Progress.RowsDone > 0
			}).Progress.RowsDone
			p.kill()
			p = start(t, s)
			if p.reached(t, key, hit.ID, func(j job) bool {
				return completed(j) || j.Progress.RowsDone > was
			}).Status == "completed" {
				t.Log("the job was faster than the kills")
				break
			}
		}
		done := p.reached(t, key, hit.ID, completed)
		if got := p.download(t, done); !bytes.Equal(got, want) {
			t.Errorf("%d bytes differ from the %d of an undisturbed run", len(got), len(want))
		}
		z, err := gzip.NewReader(bytes.NewReader(want))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(z).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(rows)-1) != done.RowCount || done.RowCount != int64(2*many) ||
			strings.Join(rows[0], ",") != strings.Join(exports.Columns("orders"), ",") {
			t.Errorf("%d rows, the job says %d, want %d", len(rows)-1, done.RowCount, 2*many)
		}
	})
}

// TestExportsSideBySide: five jobs of a store run at once, others wait, and all complete while two
// processes write products.
func TestExportsSideBySide(t *testing.T) {
	storetest.Campaign(t)
	filled(t, some, func(t *testing.T, s settings, key string) {
		p, q := start(t, s), start(t, settings{Data: s.Data, Args: s.Args})
		writing, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := 0; writing.Err() == nil; i++ {
				beats(5 * time.Millisecond) // the exports are what the test is about
				a, err := p.do(t, request{As: key, Path: base + "/products", Body: draft("Beside", fmt.Sprint(i))})
				if err != nil || a.Status != http.StatusCreated {
					t.Errorf("%v, %v", a, err)
					return
				}
			}
		})
		var jobs []job
		for i := range 8 {
			from := []*program{p, q}[i%2]
			jobs = append(jobs, from.export(t, key, `{"kind": "orders", "format": "jsonl"}`))
		}
		var sums []string
		for i, j := range jobs {
			done := []*program{q, p}[i%2].reached(t, key, j.ID, completed)
			if done.RowCount != int64(some) {
				t.Errorf("%d rows, want %d", done.RowCount, some)
			}
			if sums = append(sums, done.Sha256); sums[i] != sums[0] {
				t.Error("equal jobs wrote different files")
			}
		}
		stop()
		wg.Wait()
		p.download(t, q.reached(t, key, jobs[0].ID, completed))
	})
}

// TestExportFormulas: what a spreadsheet would run as a formula is escaped, and can be read back.
func TestExportFormulas(t *testing.T) {
	storetest.Sequential(t)
	p := start(t, settings{Data: t.TempDir(), Args: []string{"--demo", "--demo-orders", "5"}})
	key := p.demo(t).Stores[0].Keys["all"]
	titles := []string{"=cmd|'/c calc'!A1", "+1+1", "-1-A1", "'+1", "+49 30 123456", "-1", "@SUM(A1)", "'=kept",
		`"=quoted"`, "a,b"}
	for _, title := range titles {
		if a, err := p.do(t, request{As: key, Path: base + "/products",
			Body: fmt.Sprintf(`{"title": %q, "price_minor": 1, "currency": "EUR"}`, title)}); err != nil ||
			a.Status != http.StatusCreated {
			t.Fatal(a, err)
		}
	}
	file := p.download(t, p.reached(t, key, p.export(t, key, `{"kind": "products"}`).ID, completed))
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, row := range rows[1:] {
		number := row[1] == "+49 30 123456" || row[1] == "-1" // as it was written
		if cell := row[1]; cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) && !number {
			t.Errorf("%q is run by a spreadsheet", cell)
		}
		found[strings.Replace(row[1], "'", "", 1)] = true
		found[row[1]] = true
	}
	for _, title := range titles {
		if !found[title] {
			t.Errorf("%q is not in the file", title)
		}
	}
}

// TestExportLeavesNothing: the blob store keeps nothing of a canceled or deleted job.
func TestExportLeavesNothing(t *testing.T) {
	storetest.Campaign(t)
	storetest.Sequential(t)
	filled(t, some, func(t *testing.T, s settings, key string) {
		p := start(t, s)
		j := p.export(t, key, `{"kind": "orders"}`)
		done := p.reached(t, key, j.ID, completed)
		p.download(t, done)
		var deleted struct {
			ExportDelete struct{ DeletedID string }
		}
		p.graphql(t, key, `mutation($id: ID!) { exportDelete(id: $id) { deletedId userErrors { code } } }`,
			map[string]any{"id": j.ID}, &deleted)
		u, err := url.Parse(done.DownloadURL)
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.do(t, request{Path: u.RequestURI()})
		if err != nil {
			t.Fatal(err)
		}
		a.want(t, http.StatusGone, "file_gone")
		running := p.export(t, key, `{"kind": "orders"}`)
		p.reached(t, key, running.ID, func(j job) bool { return j.Status == "running" || completed(j) })
		p.graphql(t, key, `mutation($id: ID!) { exportDelete(id: $id) { deletedId userErrors { code } } }`,
			map[string]any{"id": running.ID}, &deleted)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			left := objects(t, filepath.Join(s.Data, "blobs", "exports"))
			if len(left) == 0 {
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatalf("left behind: %v", left)
			}
		}
	})
}

// objects are the files below a folder.
func objects(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, path)
		}
		if os.IsNotExist(err) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
