package rest_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// moment are members with a value of the moment.
var moment = []string{"request_id", "server_time", "download_url", "download_url_expires_at", "preview_url"}

// fresh returns the members to which the request gives a new value in every run.
func (sc Scenario) fresh() []string {
	switch {
	case sc.Status == http.StatusCreated || sc.Status == http.StatusAccepted:
		return []string{"id", "created_at", "updated_at", "secret", "secret_hint"}
	case sc.Golden == "theme_activated":
		return []string{"activated_at", "updated_at"}
	}
	return nil
}

// golden compares a JSON body with its file, except for volatile members.
func golden(t *testing.T, name string, body []byte, fresh []string) {
	t.Helper()
	var got, want any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("decode %s: %v", body, err)
	}
	mask(got, fresh)
	file := filepath.Join("testdata", name+".json")
	if *update && !t.Failed() {
		b, _ := json.MarshalIndent(got, "", "  ")
		if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// mask replaces volatile values by their member's name: ids are volatile beside their creation
// time.
func mask(v any, fresh []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if member != nil && (slices.Contains(moment, name) || slices.Contains(fresh, name) &&
				(name != "id" || v["created_at"] != nil || v["position"] != nil)) {
				v[name] = "(" + name + ")"
				continue
			}
			mask(member, fresh)
		}
	case []any:
		for _, e := range v {
			mask(e, fresh)
		}
	}
}

// TestGoldenFilesAreUsed finds files that no scenario names any more.
func TestGoldenFilesAreUsed(t *testing.T) {
	used := map[string]bool{}
	for _, sc := range scenarios {
		used[sc.Golden+".json"] = true
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !f.IsDir() && !used[f.Name()] {
			t.Errorf("testdata/%s belongs to no scenario", f.Name())
		}
	}
}
