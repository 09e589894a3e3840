package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// profile runs one more turn of a figure's last side and saves where the
// server's CPU time goes meanwhile, for go tool pprof.
func (m meter) profile(ctx context.Context, engine string, f figure) error {
	s := f.sides[len(f.sides)-1]
	if s.at.admin == "" {
		return nil
	}
	const seconds = 5
	if err := s.ready(ctx, (seconds+1)*time.Second); err != nil { // else the profile would show the wait for it
		return err
	}
	fetched := make(chan error, 1)
	name := func(r rune) rune {
		if strings.ContainsRune(" /?=,{}", r) {
			return '-'
		}
		return r
	}
	path := filepath.Join(m.profiles, engine+"-"+strings.Map(name, f.name)+".pprof")
	go func() {
		fetched <- save(ctx, fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", s.at.admin, seconds), path)
	}()
	if _, err := m.turn(ctx, s, f.conns, (seconds+1)*time.Second); err != nil {
		return err
	}
	return <-fetched
}

// save writes what an address answers into a file.
func save(ctx context.Context, address, path string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	defer w.Body.Close()
	b, err := io.ReadAll(w.Body)
	if err == nil && w.StatusCode != http.StatusOK {
		err = fmt.Errorf("profile: %s: %.200s", w.Status, b)
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}
