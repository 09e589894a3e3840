package rest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/storefront-go/storefront/rest"
)

// parameter is a documented parameter.
type parameter struct {
	Ref    string `yaml:"$ref"`
	Name   string
	In     string
	Schema struct {
		Format    string
		MinLength *int `yaml:"minLength"`
		MaxLength *int `yaml:"maxLength"`
		Minimum   *int
	}
}

// documented returns the query parameters of every GET in the document, by path.
func documented(t *testing.T) map[string][]parameter {
	t.Helper()
	var doc struct {
		Paths map[string]struct {
			Get *struct{ Parameters []parameter }
		}
		Components struct{ Parameters map[string]parameter }
	}
	if err := yaml.Unmarshal(rest.Document, &doc); err != nil {
		t.Fatal(err)
	}
	all := map[string][]parameter{}
	for path, item := range doc.Paths {
		if item.Get == nil {
			continue
		}
		for _, p := range item.Get.Parameters {
			if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
				p = doc.Components.Parameters[name]
			}
			if p.In == "query" {
				all[path] = append(all[path], p)
			}
		}
	}
	return all
}

// TestQueryIsAsDocumented: the routes have the document's parameters, and its limits hold. Lengths
// count code points.
func TestQueryIsAsDocumented(t *testing.T) {
	s, m := sqlite(t)
	ask := func(path, name, value string) *answer {
		return s.do(t, request{As: m.all, Path: path + "?" + url.Values{name: {value}}.Encode(), Free: true})
	}
	refuse := func(path, name, value, code string) {
		t.Helper()
		a := ask(path, name, value).want(http.StatusBadRequest, "invalid_parameter")
		if got, want := a.problem().places(), []string{name + " " + code}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	params, bounded := documented(t), 0
	for _, row := range rest.Routes() {
		if row.Method != http.MethodGet {
			continue
		}
		var names []string
		for _, p := range params[row.Path] {
			names = append(names, p.Name)
			if p.Schema.MaxLength != nil {
				bounded++
				ask(row.Path, p.Name, strings.Repeat("é", *p.Schema.MaxLength)).want(http.StatusOK, "")
				refuse(row.Path, p.Name, strings.Repeat("e", *p.Schema.MaxLength+1), "too_long")
			}
			if p.Schema.MinLength != nil {
				refuse(row.Path, p.Name, "", "too_short")
			}
			if p.Schema.Minimum != nil {
				refuse(row.Path, p.Name, fmt.Sprint(*p.Schema.Minimum-1), "out_of_range")
			}
			if p.Schema.Format == "date-time" {
				refuse(row.Path, p.Name, "yesterday", "invalid_format")
			}
		}
		for _, name := range []string{"custom_field", "variant_custom_field"} {
			want := name + " unknown_value" // the store has no such field
			if !slices.Contains(names, name) {
				want = name + "[a.b] unknown_member"
			}
			a := ask(row.Path, name+"[a.b]", "x").want(http.StatusBadRequest, "invalid_parameter")
			if got := a.problem().places(); !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %v, want %s", row.Path, got, want)
			}
			refuse(row.Path, name, "x", "unknown_member")
		}
		slices.Sort(names)
		want := slices.Sorted(slices.Values(row.Query))
		if !slices.Equal(names, want) {
			t.Errorf("%s: the document has %v, the table %v", row.Path, names, want)
		}
	}
	if bounded < 2 {
		t.Errorf("%d parameters with a longest value: the document was misread", bounded)
	}
}

// TestTimesOfFilters: every RFC 3339 time is valid, however old.
func TestTimesOfFilters(t *testing.T) {
	c := newCast(t)
	all := len(c.do(t, request{As: c.as["all"], Path: "/orders?limit=100"}).list().Data)
	if all == 0 {
		t.Fatal("there are no orders")
	}
	for query, want := range map[string]int{
		"updated_from=0001-01-01T00:00:00Z": all, "created_from=1969-12-31T23:59:59.9Z": all,
		"created_to=0001-01-01T00:00:00Z": 0, "created_from=1990-12-31t15:59:60-08:00": all,
		"created_to=1990-12-31t23:59:60z": 0, "created_from=9999-12-31T23:59:59-01:00": 0,
	} {
		a := c.do(t, request{As: c.as["all"], Path: "/orders?limit=100&" + query, Free: true})
		if got := len(a.list().Data); got != want {
			t.Errorf("%s: %d orders, want %d", query, got, want)
		}
	}
}
