package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

// tour is what the sections of the guide print.
var tour = map[string]string{
	"README.md":               `"status": ?"draft"`,
	"Who am I":                `"type": "api_key"`,
	"Lists":                   `(?s)^"?\d+"?\n"?\d+"?\n".+"\n"?\d+"?\n"?\d+"?$`,
	"Writes that happen once": `(?s)^HTTP/1.1 201 .*"title":"Enamel mug"`,
	"Errors":                  `(?s)#/colour.*#/price_minor|#/price_minor.*#/colour`,
	"GraphQL":                 `"totalMinor": \d+`,
	"An app":                  `(?s)"access_token": "sfa_.*\n"?\d+"?$`,
	"Webhooks":                `product\.created`,
	"Exports":                 `(?s)"completed"\n\d+\n\S*id,`,
	"The shop":                `(?s)<title>.*<urlset`,
	"Themes":                  `(?s)"active"\n.*"assets/`,
	"AI agents":               `(?m)^list_orders$`,
	"A catalog":               `^"draft"\n5\n"active"\n"Blue"\n900\n"White"\n950\n990\n5\n12$`,
	"A warehouse":             `^"unfulfilled"\n"fulfilled"\n\d+\n34\n(loc_\w+)\nKestrel Bikes\n"loc_\w+"\n28\n"loc_\w+"\n6$`,
	"An accountant":           `(?s)^"paid"\n"partially_refunded"\n2900\n.*order.refunded`,
}

// TestTour pastes the commands of README and of the guides /docs/guides/tour and connect into a
// shell, in one folder with a running demo, and reads what they print.
func TestTour(t *testing.T) {
	storetest.Sequential(t)
	t.Parallel()
	for _, tool := range []string{"curl", "jq", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("STOREFRONT_REQUIRE_INTERPRETERS") == "1" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	folder := t.TempDir()
	p := start(t, settings{Data: demoData(t), Args: []string{"--demo", "--demo-orders", "1"}})
	if err := os.Symlink(p.data, filepath.Join(folder, "storefront-data")); err != nil {
		t.Fatal(err)
	}
	printed := p.pasteTour(t, folder)
	for section, want := range tour {
		if got := strings.TrimSpace(printed[section]); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s prints %q, want %s", section, got, want)
		}
	}
}

// pasteTour runs the commands and returns the output of each section. When the shell prints the
// address of the consent page, it gives consent and passes the code back.
func (p *program) pasteTour(t *testing.T, folder string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", p.tourScript(t))
	cmd.Dir, cmd.Env, cmd.Stderr = folder, environment(), t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	printed, section := map[string]string{}, ""
	lines := bufio.NewScanner(out)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "## "); ok {
			section = name
		} else if strings.Contains(line, "/oauth/authorize?") {
			code := p.person(t).allow(line, p.demo(t).Stores[0].Owner).Query().Get("code")
			if _, err := io.WriteString(in, code+"\n"); err != nil {
				t.Fatal(err)
			}
		} else {
			printed[section] += line + "\n"
		}
	}
	if err := cmd.Wait(); err != nil || lines.Err() != nil {
		t.Errorf("section %s: %v, %v", section, err, lines.Err())
	}
	return printed
}

// delivery creates a product while the listener of the guide runs, and waits for its event.
const delivery = ` >listened &
LISTENER=$!
until grep -q whsec_ listened || grep -q 127.0.0.1 listened; do sleep 0.1; done
curl -s -o created.json -H "Authorization: Bearer $KEY" -H 'Idempotency-Key: tour-5' -H 'Content-Type: application/json' \
  -d '{"title": "Enamel mug", "price_minor": 1450, "currency": "EUR"}' $API/products
until grep -q product.created listened; do sleep 0.1; done
kill $LISTENER
cat listened`

// tourScript returns the commands of the documents, each section after its heading. What a reader
// copies from the browser is read from standard input instead.
func (p *program) tourScript(t *testing.T) string {
	t.Helper()
	readme := between(t, "../../README.md", "```sh\n", "```")
	first, err := os.ReadFile("../../rest/web/guides/tour.md")
	if err != nil {
		t.Fatal(err)
	}
	connect, err := os.ReadFile("../../rest/web/guides/connect.md")
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(p.API)
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	fmt.Fprintf(&script, "echo '## README.md'\n%s", strings.ReplaceAll(readme, "127.0.0.1:8080", address.Host))
	for part := range strings.SplitSeq(string(first)+string(connect), "\n## ") {
		name, text, _ := strings.Cut(part, "\n")
		fmt.Fprintf(&script, "echo; echo '## %s'\n", name)
		for i, block := range strings.Split(text, "\n```") {
			command, isShell := strings.CutPrefix(block, "sh\n")
			listen := strings.HasPrefix(block, "\ngo run ./cmd/storefront webhooks listen")
			switch {
			case i%2 == 0:
			case isShell:
				script.WriteString(command + "\n")
			case block == "\nCODE=sfc_...":
				script.WriteString("read -r CODE\n")
			case listen:
				script.WriteString(strings.Replace(block, "go run ./cmd/storefront", binary(t), 1) + delivery + "\n")
			}
		}
	}
	return script.String()
}

// between returns what a file holds between two texts.
func between(t *testing.T, path, from, to string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(b), from)
	text, _, closed := strings.Cut(rest, to)
	if !found || !closed {
		t.Fatalf("%s has nothing between %q and %q", path, from, to)
	}
	return text
}
