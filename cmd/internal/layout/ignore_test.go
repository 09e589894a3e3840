package layout

import (
	"testing"
	"testing/fstest"
)

func TestIgnore(t *testing.T) {
	ignored, err := readIgnore(fstest.MapFS{
		".gitignore": {Data: []byte("# notes\n\n/demo.json\n*.test\nnode_modules/\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		dir  bool
		want bool
	}{
		{"demo.json", false, true},
		{"rest/demo.json", false, false},
		{"rest/rest.test", false, true},
		{"a/node_modules", true, true},
		{"a/node_modules", false, false},
		{"# notes", false, false},
	} {
		if got := ignored(tc.name, tc.dir); got != tc.want {
			t.Errorf("ignored(%q, dir %t) = %t, want %t", tc.name, tc.dir, got, tc.want)
		}
	}
}
