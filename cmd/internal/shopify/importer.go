package shopify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/imported"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
)

// Config says what to import, and where to.
type Config struct {
	Core  *graph.Resolver
	Store *db.Store
	// Dir is the folder of the exports.
	Dir string
	// Apply keeps what is imported; otherwise all of it is tried and rolled back.
	Apply bool
	// Continue lets the numbers of orders go on above the highest number that the files have, so
	// that no number means two orders.
	Continue bool
	// Progress, when set, is told how many records of a file were read, now and then.
	Progress func(file string, records int)
}

// progressEvery is how many records lie between two reports of progress.
const progressEvery = 500

// importer brings in the files of one folder.
type importer struct {
	Config
	currency string
	report   Report
	count    *Count
	file     string
	seen     map[string]int // the line of every key of a kind
	notes    []Finding      // of the record at hand
	garbled  bool           // a line of the file is not UTF-8, and that was said
}

// maker makes a record in the store, in a transaction.
type maker interface {
	make(ctx context.Context, i *importer) (xid.ID, error)
}

// kind is what the files of one name hold.
type kind struct {
	name string // "products": the files begin with it
	// key is the column whose value the rows of a record share; "" where each has one row.
	key    string
	stable []string // the columns by which a record is known again, the best first
	needed []string
	read   func(*importer, *record) (maker, error)
}

// orders is the kind of the files of orders.
const orders = "orders"

func kinds() []kind {
	return []kind{
		{name: "products", key: "handle", stable: []string{"handle"},
			needed: []string{"handle", "title", "variant price"}, read: (*importer).product},
		{name: "customers", stable: []string{"customer id", "email"},
			needed: []string{"email", "first name", "last name"}, read: (*importer).customer},
		{name: orders, key: "name", stable: []string{"id", "name"},
			needed: []string{"name", "currency", "total", "created at", "financial status", "lineitem quantity",
				"lineitem name", "lineitem price"}, read: (*importer).order},
	}
}

// Run imports the files of a folder as the person of ctx: products first, then customers,
// then their orders. What is wrong with a record is reported, what is wrong with a file or
// the database is an error.
func Run(ctx context.Context, c Config) (*Report, error) {
	i := &importer{Config: c, currency: c.Store.Currency, report: Report{Applied: c.Apply}}
	found := false
	for _, k := range kinds() {
		files, err := filesOf(c.Dir, k.name)
		if err != nil {
			return nil, err
		}
		i.report.Kinds = append(i.report.Kinds, Count{Kind: k.name})
		i.count, i.seen = &i.report.Kinds[len(i.report.Kinds)-1], map[string]int{}
		if k.name == orders && c.Apply && c.Continue {
			if err := i.continueNumbers(ctx, files); err != nil {
				return nil, err
			}
		}
		for _, name := range files {
			found = true
			if err := i.run(ctx, k, name); err != nil {
				return &i.report, err
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("%s holds no exports: they are called products….csv, customers….csv and orders….csv", c.Dir)
	}
	return &i.report, nil
}

// filesOf lists the files of a kind; of several parts the shorter names come first, so
// that orders_export_10.csv follows orders_export_9.csv.
func filesOf(dir, kind string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if !e.IsDir() && strings.HasPrefix(name, kind) && strings.HasSuffix(name, ".csv") {
			list = append(list, e.Name())
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(a) - len(b) })
	return list, nil
}

// openRegular opens a file that has an end: no device, and no pipe, on which it would wait.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

func (i *importer) run(ctx context.Context, k kind, name string) error {
	f, err := openRegular(filepath.Join(i.Dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := newTable(name, f, k.needed)
	if err != nil {
		return err
	}
	i.file, i.garbled = name, false
	n := 0
	for c, err := range t.records(k.key) {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := i.one(ctx, k, &c); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, c.line, err)
		}
		if n++; i.Progress != nil && n%progressEvery == 0 {
			i.Progress(name, n)
		}
	}
	return nil
}

// one brings in one record, or reports why not. Its error is not the record's own.
func (i *importer) one(ctx context.Context, k kind, c *record) error {
	i.count.Read++
	i.notes = nil
	key, err := i.keyOf(k, c)
	if err == nil {
		var made maker
		if made, err = k.read(i, c); err == nil {
			err = i.bring(ctx, idOf(k.name, key), made)
		}
	}
	if err == nil {
		i.count.Made++
		i.report.add(&i.report.Notes, i.notes...)
		return nil
	}
	if errors.Is(err, errKnown) {
		i.count.Known++
		return nil
	}
	text, own := reason(err)
	if !own {
		return err
	}
	i.leave(c, text)
	return nil
}

// keyOf finds the key by which a record is known again.
func (i *importer) keyOf(k kind, c *record) (string, error) {
	if c.broken != "" {
		return "", wrong("%s", c.broken)
	}
	for _, column := range k.stable {
		v := c.rows[0].opt(column)
		if v == nil {
			continue
		}
		key := column + ":" + strings.ToLower(*v)
		if before := i.twice(key, c); before > 0 {
			return "", wrong("its %s is that of line %d", title(column), before)
		}
		return key, nil
	}
	names := make([]string, len(k.stable))
	for n, column := range k.stable {
		names[n] = title(column)
	}
	return "", wrong("it has no %s, by which it would be known again", strings.Join(names, " and no "))
}

// twice notes what is a record's own, and returns the line of another that had it, or 0.
func (i *importer) twice(key string, c *record) (before int) {
	if before = i.seen[key]; before == 0 {
		i.seen[key] = c.line
	}
	return before
}

var (
	errKnown = errors.New("it was imported before")
	errDry   = errors.New("a dry run keeps nothing")
)

// bring makes a record in one transaction with the row that says so.
func (i *importer) bring(ctx context.Context, id xid.ID, made maker) error {
	err := i.Core.Store.InTx(ctx, func(ctx context.Context) error {
		client := i.Core.Store.DB(ctx)
		known, err := client.Imported.Query().Where(imported.ID(id)).Exist(ctx)
		if err != nil {
			return err
		}
		if known {
			return errKnown
		}
		as, err := made.make(ctx, i)
		if err != nil {
			return err
		}
		err = client.Imported.Create().SetID(id).SetMadeID(as).Exec(ctx)
		switch {
		case ent.IsDuplicate(err): // another import was quicker
			return errKnown
		case err == nil && !i.Apply:
			return errDry
		}
		return err
	})
	if errors.Is(err, errDry) {
		return nil
	}
	return err
}

// idOf is the id of the row of a record, which a second run finds. It tells nobody what
// the record is, so nothing of a person is left when they are redacted.
func idOf(kind, key string) xid.ID {
	sum := sha256.Sum256([]byte(source + "\x00" + kind + "\x00" + key))
	return xid.ID(sum[:len(xid.ID{})])
}
