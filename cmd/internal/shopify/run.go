package shopify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

// Config says what to import, and into which store.
type Config struct {
	Core  *graph.Resolver
	Store *db.Store
	Dir   string
	// Apply keeps the import. Otherwise each file is tried alone, and nothing is kept.
	Apply bool
	// Continue continues order numbers after the highest one in the files: numbers stay unique.
	Continue bool
	// Progress, if set, is called with the name of each file before it is read.
	Progress func(file string)
}

// kinds are the kinds of files in the order of their import. The names of files begin with them.
var kinds = []state.ImportKind{
	state.ImportProducts, state.ImportInventory, state.ImportCustomers, state.ImportDiscounts, state.ImportOrders,
}

// Run imports the files of a folder as the viewer of ctx. Problems of rows are reported. After an error,
// which names its file, the report has what was done before.
func Run(ctx context.Context, c Config) (*Report, error) {
	report := &Report{Applied: c.Apply}
	for _, kind := range kinds {
		files, err := filesOf(c.Dir, kind)
		if err != nil {
			return report, err
		}
		if kind == state.ImportOrders && c.Apply && c.Continue {
			if err := c.continueNumbers(ctx, files); err != nil {
				return report, err
			}
		}
		for _, name := range files {
			if err := c.file(ctx, report, kind, name); err != nil {
				return report, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	if len(report.Kinds) == 0 {
		return report, fmt.Errorf("%s contains no exports: their names begin with products, inventory, customers, "+
			"discounts or orders, and end with .csv", c.Dir)
	}
	return report, nil
}

// filesOf lists the files of a kind, shorter names first: part 10 follows part 9.
func filesOf(dir string, kind state.ImportKind) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if !e.IsDir() && strings.HasPrefix(name, string(kind)) && strings.HasSuffix(name, ".csv") {
			list = append(list, e.Name())
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(a) - len(b) })
	return list, nil
}

// open opens a regular file: reading a device or a pipe might never end.
func (c *Config) open(name string) (*os.File, error) {
	path := filepath.Join(c.Dir, name)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// file imports a file with a job, waits for its end, and adds it to the report.
func (c *Config) file(ctx context.Context, report *Report, kind state.ImportKind, name string) error {
	if c.Progress != nil {
		c.Progress(name)
	}
	f, err := c.open(name)
	if err != nil {
		return err
	}
	up := c.Core.KeepImportFile(ctx, f)
	if err := errors.Join(up.Err, f.Close()); err != nil {
		return err
	}
	made, err := c.Core.Mutation().ImportStart(ctx, model.ImportStartInput{Kind: kind, Upload: up, FileName: &name,
		DryRun: !c.Apply})
	if err != nil {
		return err
	}
	job, err := c.finish(ctx, made.Import.PublicID())
	if err != nil {
		return err
	}
	if err := c.report(ctx, report, job); err != nil {
		return err
	}
	if job.Status != state.ImportCompleted {
		return errors.New(*job.ErrorMessage)
	}
	return nil
}

// finish works on jobs until one has ended. A server that runs beside may have claimed it.
func (c *Config) finish(ctx context.Context, id string) (*model.Import, error) {
	for {
		if _, err := c.Core.RunImports(ctx); err != nil {
			return nil, err
		}
		job, err := c.Core.Query().Import(ctx, id)
		if err != nil || job.Status != state.ImportQueued && job.Status != state.ImportRunning {
			return job, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}
