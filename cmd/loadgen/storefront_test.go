package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProductsOfAPage(t *testing.T) {
	const page = `<a href="/products/mug">Mug</a> <a href="/products/mug"><img></a> <a ` +
		`href="/products/cup-2?x=1">Cup</a> <a href="/search">all</a>`
	if got := products([]byte(page)); got != 2 {
		t.Errorf("got %d, want 2: each product once", got)
	}
}

func TestClosest(t *testing.T) {
	of := func(address, contentType string, size int) file {
		return file{address, contentType, make([]byte, size)}
	}
	list := []file{
		of("a", "image/jpeg", 50), of("b", "image/jpeg", 96), of("c", "image/jpeg", 103), of("d", "image/png", 100),
	}
	for _, tc := range []struct {
		contentType, want string
		size              int
	}{{"image/jpeg", "c", 100}, {"image/jpeg", "b", 98}, {"image/jpeg", "a", 1},
		{"image/png", "d", 1}, {"text/css", "", 1}} {
		if got, ok := closest(list, tc.contentType, tc.size); got.address != tc.want || ok != (tc.want != "") {
			t.Errorf("%s of %d: got %q, %v, want %q", tc.contentType, tc.size, got.address, ok, tc.want)
		}
	}
}

func TestPairOfThemes(t *testing.T) {
	of := func(name, status, stylesheet string) *ownTheme {
		x := &ownTheme{Name: name, Status: status}
		if stylesheet != "" {
			x.assets = []ownAsset{
				{"image", "http://a.test/assets/1/a.png"}, {"css", "http://a.test/assets/" + stylesheet + "/style.css"},
			}
		}
		return x
	}
	for _, tc := range []struct {
		name          string
		list          []*ownTheme
		active, other string
	}{
		{name: "none is active", list: []*ownTheme{of("a", "inactive", "1")}},
		{name: "alone", list: []*ownTheme{of("a", "active", "1")}, active: "a"},
		{name: "a copy cannot be told apart", list: []*ownTheme{of("copy", "inactive", "1"), of("a", "active", "1")},
			active: "a"},
		{name: "not ready",
			list: []*ownTheme{of("b", "processing", "2"), of("c", "failed", "3"), of("d", "inactive", ""),
				of("a", "active", "1")}, active: "a"},
		{name: "two", list: []*ownTheme{of("b", "inactive", "2"), of("a", "active", "1")}, active: "a", other: "b"},
	} {
		active, other := pair(tc.list)
		name := func(x *ownTheme) string {
			if x == nil {
				return ""
			}
			return x.Name
		}
		if name(active) != tc.active || name(other) != tc.other {
			t.Errorf("%s: got %q and %q, want %q and %q", tc.name, name(active), name(other), tc.active, tc.other)
		}
	}
}

// The samples have what the figures ask for, and the baseline finds it.
func TestSampleAssets(t *testing.T) {
	list, err := sampleAssets()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "assets")
	if err := writeAssets(folder, list); err != nil {
		t.Fatal(err)
	}
	for contentType, ext := range map[string]string{"text/css; charset=utf-8": ".css", "image/jpeg": ".jpg"} {
		f, ok := closest(list, contentType, 20_000)
		if !ok {
			t.Fatalf("no %s", contentType)
		}
		sum := sha256.Sum256(f.body)
		name := hex.EncodeToString(sum[:])
		if !strings.HasPrefix(f.address, "/assets/"+name+"/") {
			t.Errorf("the address %s is not that of the bytes", f.address)
		}
		if got, err := os.ReadFile(filepath.Join(folder, name+ext)); err != nil || string(got) != string(f.body) {
			t.Errorf("%s: %d bytes, %v", f.address, len(got), err)
		}
	}
}

func TestStorefrontFacts(t *testing.T) {
	found := &result{figure: figure{name: "home"}, engine: "sqlite",
		sides: [][]reading{
			{{server: time.Millisecond, database: 1500 * time.Microsecond, p50: time.Millisecond,
				p99: 4 * time.Millisecond, rate: 99.6}},
		}}
	got := append(homeFacts(found, 13_300, 0.0123),
		switchFacts("mariadb", []time.Duration{2 * time.Second, time.Second, 100 * time.Millisecond})...)
	want := []fact{
		{"home, sqlite, CPU", "2.50 ms", "≤ 2 ms, missed"},
		{"home, sqlite, p50, p99", "1.00 ms, 4.00 ms", ""},
		{"home, sqlite, pages of 13.3 kB", "100/s", ""},
		{"home, sqlite, statements per page", "0.0123", ""},
		{"activation until another process shows it, mariadb, median", "1.00 s", ""},
		{"activation until another process shows it, mariadb, longest of 3", "2.00 s", "≤ 2 s, kept"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(fact{})); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}
