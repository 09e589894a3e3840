// Command train builds a dictionary of event bodies:
//
//	sqlite3 storefront-data/storefront.db 'SELECT hex(body) FROM events' |
//	    go run ./ent/eventbody/internal/train > dictionary.s2
//
// It reads one stored body per line, in any form. The dictionary is built from their short forms
// (package short).
package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/dict"

	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/eventbody/internal/short"
)

const (
	size    = 32 << 10 // of the dictionary in bytes
	maxLine = 2*eventbody.MaxSize + 1
)

func main() {
	if err := train(os.Stdin, os.Stdout, size); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// train reads bodies and writes the dictionary.
func train(r io.Reader, w io.Writer, size int) error {
	var bodies [][]byte
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		stored, err := hex.AppendDecode(nil, lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d: %w", len(bodies)+1, err)
		}
		body, err := eventbody.Unpack(stored)
		if err != nil {
			return fmt.Errorf("line %d: %w", len(bodies)+1, err)
		}
		if b, ok := short.Append(nil, body); ok {
			bodies = append(bodies, b)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read bodies: %w", err)
	}
	if len(bodies) == 0 {
		return errors.New("no bodies")
	}
	made, err := dict.BuildS2Dict(bodies, dict.Options{MaxDictSize: size, HashBytes: 8})
	if err != nil {
		return fmt.Errorf("build the dictionary: %w", err)
	}
	_, err = w.Write(made)
	return err
}
