// Command train makes a dictionary of event bodies:
//
//	sqlite3 storefront-data/storefront.db 'SELECT body FROM events' |
//	    go run ./ent/eventbody/internal/train > dictionary.s2
//
// It reads one JSON body a line, as a demo made with the formats of before writes them.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/dict"
)

const (
	size    = 32 << 10 // of the dictionary in bytes
	maxLine = 1 << 20  // of the longest body
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
		bodies = append(bodies, append([]byte(nil), lines.Bytes()...))
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read bodies: %w", err)
	}
	if len(bodies) == 0 {
		return errors.New("no bodies")
	}
	made, err := dict.BuildS2Dict(bodies, dict.Options{MaxDictSize: size, HashBytes: 6})
	if err != nil {
		return fmt.Errorf("make the dictionary: %w", err)
	}
	_, err = w.Write(made)
	return err
}
