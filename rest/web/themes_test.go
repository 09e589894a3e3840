package web

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	templates "github.com/storefront-go/storefront/graph/lib/render"
)

// The table of /docs/themes has exactly the values that pages have.
func TestThemeData(t *testing.T) {
	found := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if path == "" && name == "settings" {
					continue // each theme has its own
				}
				walk(path+"."+name, member)
			}
		case []any:
			switch {
			case strings.HasSuffix(path, ".children"):
				found[path+"[]"] = true // the same value again
			case path == ".sections": // their members depend on their kind
				for _, one := range firstOfEachKind(v) {
					walk(path+"[]", one)
				}
			case len(v) > 0:
				walk(path+"[]", v[0])
			}
		default:
			if path != ".sections[].image" { // of texts
				found[path] = true
			}
		}
	}
	for _, page := range []string{"home", "product", "products", "search", "not_found", "page"} {
		walk("", templates.SampleData(page))
	}
	want := slices.Sorted(maps.Keys(found))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(themeData))); diff != "" {
		t.Errorf("(-pages +documented)\n%s", diff)
	}
}

func firstOfEachKind(sections []any) (list []any) {
	seen := map[any]bool{}
	for _, one := range sections {
		if kind := one.(map[string]any)["kind"]; !seen[kind] {
			seen[kind], list = true, append(list, one)
		}
	}
	return list
}
