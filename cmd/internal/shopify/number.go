package shopify

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db/store"
)

// maxContinued is the highest number that is continued: longer ones are dates and the like.
const maxContinued = 99_999_999

// continueNumbers raises the number of the store's next order above those in the files. A server
// may still use up to 20 numbers that it reserved before.
func (c *Config) continueNumbers(ctx context.Context, files []string) error {
	highest := int64(0)
	for _, name := range files {
		n, err := c.highest(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		highest = max(highest, n)
	}
	return c.Core.Store.InTx(ctx, func(ctx context.Context) error {
		err := c.Core.Store.DB(ctx).Store.Update().Where(store.ID(c.Store.ID), store.NextNumberLTE(highest)).
			SetNextNumber(highest + 1).Exec(ctx)
		if err != nil {
			return fmt.Errorf("continue the numbering of orders: %w", err)
		}
		return nil
	})
}

// highest returns the highest number in the column Name of a file. Malformed rows are reported by the job.
func (c *Config) highest(name string) (highest int64, err error) {
	f, err := c.open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReader(f))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	column := -1
	for first := true; ; first = false {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return highest, nil
		}
		if _, malformed := errors.AsType[*csv.ParseError](err); err != nil && !malformed {
			return 0, err
		}
		if first {
			column = slices.IndexFunc(row, func(cell string) bool {
				return strings.EqualFold(strings.Trim(cell, "\ufeff "), "name")
			})
		} else if column >= 0 && column < len(row) {
			highest = max(highest, numberOf(row[column]))
		}
	}
}

// numberOf returns the number at the end of an order's name, as in #1007 and EN-1007, or 0.
func numberOf(name string) int64 {
	at := len(name)
	for at > 0 && name[at-1] >= '0' && name[at-1] <= '9' {
		at--
	}
	n, err := strconv.ParseInt(name[at:], 10, 64)
	if err != nil || n > maxContinued {
		return 0
	}
	return n
}
