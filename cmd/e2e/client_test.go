package e2e

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/storetest"
)

// envPyPI names a Python virtual environment with mypy and the client installed, as .ci/run creates
// it.
const envPyPI = "STOREFRONT_TEST_PYPI"

// clients is the folder of the clients for other languages.
const clients = "../../rest/client"

// used is the output of a program that uses a client.
type used struct {
	Type, Product, Code, Event string
	Mugs                       []string
	Orders                     int
	Same, Refused              bool
}

// TestClientTypeScript packs the TypeScript client, as `npm install` does with its folder, together
// with a program that uses it, and runs that.
func TestClientTypeScript(t *testing.T) {
	storetest.Sequential(t)
	npm := os.Getenv(envNPM)
	if npm == "" {
		t.Skip("the compiler is a package of npm: give a folder with it in " + envNPM)
	}
	folder := t.TempDir()
	for _, name := range []string{"package.json", "tsconfig.json"} {
		copyFile(t, filepath.Join(clients, "typescript", name), filepath.Join(folder, name))
	}
	sources := os.DirFS(filepath.Join(clients, "typescript", "src"))
	if err := os.CopyFS(filepath.Join(folder, "src"), sources); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(npm, "client.ts"), filepath.Join(folder, "src", "client_test.ts"))
	if err := os.Symlink(filepath.Join(npm, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	pack := exec.CommandContext(t.Context(), "npm", "pack", "--loglevel=error") // runs the compiler
	pack.Dir = folder
	output(t, pack)
	useClient(t, "node", filepath.Join(folder, "dist", "client_test.js"))
}

// TestClientPython type-checks a program that uses the installed Python client, and runs it.
func TestClientPython(t *testing.T) {
	storetest.Sequential(t)
	venv := os.Getenv(envPyPI)
	if venv == "" {
		t.Skip("the checker of types is a package of PyPI: give a virtual environment with it in " + envPyPI)
	}
	const script = "testdata/pypi/client.py"
	output(t, exec.CommandContext(t.Context(), filepath.Join(venv, "bin", "mypy"), "--strict",
		"--cache-dir="+t.TempDir(), script))
	useClient(t, filepath.Join(venv, "bin", "python"), script)
}

// useClient runs a program that uses a client: the first answer to a write is lost, a write is sent
// twice with one key, every order is walked, and a signature is verified.
func useClient(t *testing.T, program ...string) {
	t.Helper()
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	f := p.demo(t)
	cmd := exec.CommandContext(t.Context(), program[0], append(program[1:],
		p.API+base, f.Stores[0].Keys["all"], signedEvent(t))...)
	cmd.Env = environment()
	var got used
	if out := output(t, cmd); json.Unmarshal(out, &got) != nil {
		t.Fatalf("the program wrote %s", out)
	}
	if len(got.Mugs) != 1 || got.Mugs[0] != got.Product {
		t.Errorf("a write whose first answer was lost made %v, and answered %s", got.Mugs, got.Product)
	}
	if got.Type != "api_key" || !got.Same || got.Orders != templateOrders || got.Code != "not_found" ||
		got.Event != "order.paid" || !got.Refused {
		t.Errorf("%+v", got)
	}
}

// signedEvent is one of the signature vectors, in the programs' format.
func signedEvent(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../rest/hook/testdata/webhook-signature.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Sign []struct {
			Secret    string
			Timestamp int64
			Body      string `json:"body_base64"`
			Signature string `json:"x-service-signature"`
		}
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors.Sign {
		body, err := base64.StdEncoding.DecodeString(v.Body)
		if err != nil || !strings.Contains(string(body), `"order.paid"`) {
			continue
		}
		one, err := json.Marshal(map[string]string{"secret": v.Secret, "timestamp": strconv.FormatInt(v.Timestamp, 10),
			"body": string(body), "signature": v.Signature})
		if err != nil {
			t.Fatal(err)
		}
		return string(one)
	}
	t.Fatal("no vector is an order.paid")
	return ""
}

// output runs a program that has to succeed and returns what it wrote.
func output(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd.Path, err, out, errs.String())
	}
	return out
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
