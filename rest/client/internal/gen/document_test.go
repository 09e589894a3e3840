package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/currency"
)

func readDocument(t *testing.T) *api {
	t.Helper()
	raw, err := os.ReadFile("../../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	a, err := read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The committed files are what the generator writes.
func TestGenerated(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"typescript/src", "python/storefront_client"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := run("../../../openapi.yaml", folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"typescript/src/types.ts", "typescript/src/operations.ts",
		"python/storefront_client/types.py", "python/storefront_client/operations.py", "walk_gen.go",
	} {
		want, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what the generator writes: %s", name, diff)
		}
	}
}

// The document avoids what third-party generators are known to fail on.
func TestDocumentServesStrangers(t *testing.T) {
	raw, err := os.ReadFile("../../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	events := text[strings.Index(text, "\nwebhooks:\n"):strings.Index(text, "\ncomponents:\n")]
	if strings.Contains(events, "tags: [Webhooks]") {
		t.Error("what is sent has the tag of the rows: a generator that makes a class of each tag loses one of them")
	}
	a := readDocument(t)
	for _, s := range a.Schemas {
		if s.Name != "Currency" {
			continue
		}
		var want []string
		for _, code := range currency.All() {
			want = append(want, string(code))
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, s.Enum); diff != "" {
			t.Errorf("currencies (-table +document):\n%s", diff)
		}
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		member := strings.TrimSpace(line)
		if strings.HasPrefix(member, "default:") && !strings.Contains(line, "$ref") {
			t.Errorf("line %d: a member with a default counts as required: %s", i+1, member)
		}
		if member == "format: date-time" && slices.ContainsFunc(lines[i:min(i+4, len(lines))], isPattern) {
			t.Errorf("line %d: a time has a pattern, which generators hold against their own form of times", i+1)
		}
	}
}

func isPattern(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "pattern:") }
