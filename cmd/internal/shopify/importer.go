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

// Config says what to import, and into which store.
type Config struct {
	Core  *graph.Resolver
	Store *db.Store
	Dir   string
	// Apply keeps the import; otherwise everything is tried and rolled back.
	Apply bool
	// Continue continues order numbers after the highest one in the files: numbers stay unique.
	Continue bool
	// Progress, if set, is called from time to time with the number of records read from a file.
	Progress func(file string, records int)
}

const progressEvery = 500

type importer struct {
	Config
	currency string
	report   Report
	count    *Count
	file     string
	seen     map[string]int // the line of each key, by kind
	notes    []Finding      // of the current record
	garbled  bool           // the file is not all UTF-8, which was reported
}

// maker creates a record in the store, in a transaction.
type maker func(ctx context.Context, i *importer) (xid.ID, error)

type kind struct {
	name string // "products": the prefix of the files' names
	// key is the column that the rows of a record share; "" if each row is a record.
	key    string
	stable []string // the columns that identify a record again, best first
	needed []string
	read   func(*importer, *record) (maker, error)
}

func kinds() []kind {
	return []kind{
		{name: "products", key: "handle", stable: []string{"handle"},
			needed: []string{"handle", "title", "variant price"}, read: (*importer).product},
		{name: "customers", stable: []string{"customer id", "email"},
			needed: []string{"email", "first name", "last name"}, read: (*importer).customer},
		{name: "orders", key: "name", stable: []string{"id", "name"},
			needed: []string{"name", "currency", "total", "created at", "financial status", "lineitem quantity",
				"lineitem name", "lineitem price"}, read: (*importer).order},
	}
}

// Run imports the files of a folder as the person in ctx: products, customers, then orders.
// Problems of records are reported; problems of a file or the database are errors.
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
		if k.name == "orders" && c.Apply && c.Continue {
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
		return nil, fmt.Errorf("%s contains no exports: they are named products….csv, customers….csv and orders….csv", c.Dir)
	}
	return &i.report, nil
}

// filesOf lists the files of a kind, shorter names first: part 10 follows part 9.
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

// each calls do with each record of a regular file: reading a device or a pipe might never end.
func (i *importer) each(name, key string, needed []string, do func(*record) error) error {
	path := filepath.Join(i.Dir, name)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := newTable(name, f, needed)
	if err != nil {
		return err
	}
	for c, err := range t.records(key) {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := do(&c); err != nil {
			return err
		}
	}
	return nil
}

func (i *importer) run(ctx context.Context, k kind, name string) error {
	i.file, i.garbled = name, false
	n := 0
	return i.each(name, k.key, k.needed, func(c *record) error {
		if err := i.one(ctx, k, c); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, c.line, err)
		}
		if n++; i.Progress != nil && n%progressEvery == 0 {
			i.Progress(name, n)
		}
		return nil
	})
}

// one imports one record, or reports why not. Its error is not about the record.
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
			return "", wrong("its %s repeats line %d", title(column), before)
		}
		return key, nil
	}
	names := make([]string, len(k.stable))
	for n, column := range k.stable {
		names[n] = title(column)
	}
	return "", wrong("it has no %s to recognize it by", strings.Join(names, " and no "))
}

// twice remembers the key of a record, and returns the line of an earlier one, or 0.
func (i *importer) twice(key string, c *record) (before int) {
	if before = i.seen[key]; before == 0 {
		i.seen[key] = c.line
	}
	return before
}

var (
	errKnown = errors.New("it was imported before")
	errDry   = errors.New("a dry run stores nothing")
)

// bring creates a record in one transaction with the row that marks it as imported.
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
		as, err := made(ctx, i)
		if err != nil {
			return err
		}
		err = client.Imported.Create().SetID(id).SetMadeID(as).Exec(ctx)
		switch {
		case ent.IsDuplicate(err): // another import was faster
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

// idOf returns the id of a record's row, which a second run finds. It reveals nothing about the
// record, so no personal data remains after a redaction.
func idOf(kind, key string) xid.ID {
	sum := sha256.Sum256([]byte(source + "\x00" + kind + "\x00" + key))
	return xid.ID(sum[:len(xid.ID{})])
}
