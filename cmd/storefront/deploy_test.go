package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"github.com/storefront-go/storefront/cmd/internal/app"
)

func deployed(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkMetrics looks for every metric of the rules and the board in a running program's output.
func checkMetrics(t *testing.T, exported string) {
	t.Helper()
	seen := map[string]bool{}
	for _, file := range []string{"alerts.yml", "dashboard.json"} {
		for _, name := range regexp.MustCompile(`\bstorefront_[a-z_]+`).FindAllString(deployed(t, file), -1) {
			if !seen[name] && !strings.Contains(exported, "\n"+name+"{") && !strings.Contains(exported, "\n"+name+" ") {
				t.Errorf("%s: the program exports no %s", file, name)
			}
			seen[name] = true
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d metrics are looked at", len(seen))
	}
}

// The rules are valid for Prometheus, and each has a description.
func TestAlerts(t *testing.T) {
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	d := yaml.NewDecoder(strings.NewReader(deployed(t, "alerts.yml")))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil || len(file.Groups) != 1 || len(file.Groups[0].Rules) < 10 {
		t.Fatalf("%+v, %v", file, err)
	}
	names := map[string]bool{}
	for _, r := range file.Groups[0].Rules {
		if names[r.Alert] || !strings.HasPrefix(r.Alert, "Storefront") || r.Labels["severity"] == "" ||
			r.Annotations["summary"] == "" || !balanced(r.Expr) {
			t.Errorf("%+v", r)
		}
		names[r.Alert] = true
	}
}

func TestDashboard(t *testing.T) {
	var board struct {
		UID    string
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
			GridPos struct{ X, W int } `json:"gridPos"`
		}
	}
	if err := json.Unmarshal([]byte(deployed(t, "dashboard.json")), &board); err != nil || board.UID == "" {
		t.Fatal(board.UID, err)
	}
	for _, p := range board.Panels {
		if p.Title == "" || len(p.Targets) == 0 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%+v", p)
		}
		for _, target := range p.Targets {
			if !balanced(target.Expr) || !strings.Contains(target.Expr, `job="$job"`) {
				t.Errorf("%s: %s", p.Title, target.Expr)
			}
		}
	}
}

// balanced reports whether every bracket of an expression is closed.
func balanced(expr string) bool {
	pairs := map[rune]rune{')': '(', ']': '[', '}': '{'}
	var open []rune
	for _, r := range expr {
		switch {
		case strings.ContainsRune("([{", r):
			open = append(open, r)
		case pairs[r] != 0:
			if len(open) == 0 || open[len(open)-1] != pairs[r] {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0 && expr != ""
}

// checkExample runs the tour's Go program against a server, as the guide says.
func checkExample(t *testing.T, api, key string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	tour, err := os.ReadFile(filepath.Join(root, "rest", "web", "guides", "tour.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(tour), "```go\n")
	program, rest, _ := strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "export KEY\n")
	script, _, _ := strings.Cut("export KEY\n"+rest, "```")
	dir := t.TempDir()
	program = strings.Replace(program, "http://127.0.0.1:8080/api/public/v1", api, 1)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.ReplaceAll(script, "../..", root))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "KEY="+key)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "1001 ") {
		t.Errorf("the example of the tour: %v\n%s", err, out)
	}
}

// The container builds what the guide builds, with the Go of go.mod; the container and
// the unit set nothing that serve does not know.
func TestContainerAndUnit(t *testing.T) {
	root := filepath.Join("..", "..")
	guide, err := os.ReadFile(filepath.Join(root, "rest", "web", "guides", "run.md"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	container, unit := deployed(t, "Containerfile"), deployed(t, "storefront.service")
	const target = "-o storefront ./cmd/storefront\n"
	if !strings.Contains(string(guide), "\ngo build "+target) || !strings.Contains(container, target) {
		t.Error("the container does not build what the guide builds")
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)
	if !strings.Contains(container, "golang:"+string(version[1])+"-") {
		t.Errorf("the container is not built with Go %s", version[1])
	}
	known := variables(t)
	for _, text := range []string{container, unit} {
		for _, name := range regexp.MustCompile(`\bSTOREFRONT_[A-Z_]+\b`).FindAllString(text, -1) {
			if !known[name] && name != "STOREFRONT_" {
				t.Errorf("%s is no variable of serve", name)
			}
		}
	}
	verifyUnit(t, unit)
}

// variables are those that serve reads.
func variables(t *testing.T) map[string]bool {
	t.Helper()
	parser, err := kong.New(&app.Config{})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range parser.Model.Flags {
		for _, name := range f.Envs {
			names[name] = true
		}
	}
	return names
}

// verifyUnit asks systemd where it is there; the program itself need not be.
func verifyUnit(t *testing.T, unit string) {
	t.Helper()
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	path := filepath.Join(t.TempDir(), "storefront.service")
	unit = strings.Replace(unit, "/usr/local/bin/storefront serve", "/bin/true", 1)
	if err := os.WriteFile(path, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), tool, "verify", path).CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("storefront.service:")) {
		t.Errorf("%v: %s", err, out)
	}
}
