package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// linen is one of the themes that come with the program.
const linen = "../../graph/lib/theme/sample/linen"

func TestThemeCheck(t *testing.T) {
	c := newCLI(t)
	var good checked
	c.decode(&good, "theme", "check", linen)
	if good.Name != "Linen" || good.Templates < 5 || good.Assets == 0 || good.SizeBytes == 0 ||
		len(good.Problems) != 0 {
		t.Errorf("checked: %+v", good)
	}
	broken := t.TempDir()
	if err := os.CopyFS(broken, os.DirFS(linen)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "templates", "home.html"), []byte("{{define \"content\"}}{{.nothing"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if o := c.run("theme", "check", broken); o.code != exitFailed || o.err != "" ||
		!strings.Contains(o.out, "templates/home.html: Line 1: ") {
		t.Errorf("a broken theme: %+v", o)
	}
	for _, wrong := range []string{filepath.Join(broken, "none"), filepath.Join(linen, "theme.json")} {
		if o := c.run("theme", "check", wrong); o.code != exitFailed || o.out+o.err == "" {
			t.Errorf("%s: %+v", wrong, o)
		}
	}
}
