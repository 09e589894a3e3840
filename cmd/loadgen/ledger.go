package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// entry is a line of the ledger: a key that was sent, or with a status one that
// was acknowledged.
type entry struct {
	Key    string `json:"key"`
	Status int    `json:"status,omitempty"`
	Sum    string `json:"sha256,omitempty"` // of the answer's body
}

// ledger is the file of a load of writes.
type ledger struct {
	mu   sync.Mutex
	file *os.File
}

// createLedger begins a new one and refuses to overwrite another.
func createLedger(path string) (*ledger, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("begin the ledger: %w", err)
	}
	return &ledger{file: f}, nil
}

// write appends an entry at once: what is sent is on record before it is sent.
func (l *ledger) write(e entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.file.Write(append(b, '\n'))
	return err
}

// close may be called twice.
func (l *ledger) close() error {
	if err := l.file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// readLedger returns every key once, with its answer where there was one.
func readLedger(path string) ([]entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	defer f.Close()
	var list []entry
	at := map[string]int{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("read the ledger: %w", err)
		}
		if i, ok := at[e.Key]; ok {
			list[i] = e
			continue
		}
		at[e.Key] = len(list)
		list = append(list, e)
	}
	return list, lines.Err()
}
