package e2e

import (
	"bufio"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/demo"
	"github.com/storefront-go/storefront/ent/storetest"
)

// envNPM names a copy of testdata/npm with its packages installed; tests that need them run only if
// it is set, as .ci/run does.
const envNPM = "STOREFRONT_TEST_NPM"

// TestNPMClients takes the two most used OAuth clients of browsers and node from discovery to
// revocation.
func TestNPMClients(t *testing.T) {
	storetest.Sequential(t)
	folder := os.Getenv(envNPM)
	if folder == "" {
		t.Skip("the clients are packages of npm: give a folder with them in " + envNPM)
	}
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	f := p.demo(t)
	for _, script := range []string{"oauth4webapi.mjs", "openid-client.mjs"} {
		t.Run(script, func(t *testing.T) {
			var got struct {
				Opened, Refreshed, Revoked, ExpiresIn int
				Scope                                 string
				Rotated                               bool
			}
			p.connect(t, f.Stores[0].Owner, &got, filepath.Join(folder, script), f.OAuthApp.ClientID, p.API+base)
			if got.Opened != http.StatusOK || got.Refreshed != http.StatusOK ||
				got.Revoked != http.StatusUnauthorized ||
				got.Scope != "orders.read products.read" || got.ExpiresIn != 3600 || !got.Rotated {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestNPMAgent lets the official SDK of the Model Context Protocol sign in without a registration,
// with the address of its metadata document, and call tools.
func TestNPMAgent(t *testing.T) {
	storetest.Sequential(t)
	folder := os.Getenv(envNPM)
	if folder == "" {
		t.Skip("the client is a package of npm: give a folder with it in " + envNPM)
	}
	var host *httptest.Server
	host = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"client_id": %q, "client_name": "Agent", "redirect_uris": ["http://127.0.0.1/callback"],
			"token_endpoint_auth_method": "none"}`, host.URL+r.URL.Path)
	}))
	defer host.Close()
	root := filepath.Join(t.TempDir(), "root.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: host.Certificate().Raw})
	if err := os.WriteFile(root, block, 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0", "--allow-loopback-webhooks"},
		Env: []string{"SSL_CERT_FILE=" + root}})
	var got struct {
		Refused, Opened, Refreshed string
		Tools, Elsewhere           int
		Rotated                    bool
	}
	id := host.URL + "/client.json"
	p.connect(t, p.demo(t).Stores[0].Owner, &got, filepath.Join(folder, "mcp-sdk.mjs"), id, p.API+"/mcp")
	if got.Refused != "UnauthorizedError" && got.Refused != "Error" || got.Tools < 10 || got.Opened != id ||
		got.Refreshed != id || !got.Rotated || got.Elsewhere != http.StatusUnauthorized {
		t.Errorf("%+v", got)
	}
}

// TestAgentRegisters lets the official SDKs for TypeScript and Python sign in without an address of
// their own: they register (RFC 7591), a person consents, and they call a tool.
func TestAgentRegisters(t *testing.T) {
	storetest.Sequential(t)
	npm, venv := os.Getenv(envNPM), os.Getenv(envPyPI)
	if npm == "" || venv == "" {
		t.Skip("the clients are packages of npm and PyPI: give folders with them in " + envNPM + " and " + envPyPI)
	}
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	owner := p.demo(t).Stores[0].Owner
	t.Run("TypeScript", func(t *testing.T) {
		var got struct {
			Opened, Refreshed string
			Tools, Elsewhere  int
			Rotated           bool
		}
		p.connect(t, owner, &got, filepath.Join(npm, "mcp-sdk.mjs"), "register", p.API+"/mcp")
		if !strings.HasPrefix(got.Opened, "dynamic-") || got.Refreshed != got.Opened || got.Tools < 10 ||
			!got.Rotated || got.Elsewhere != http.StatusUnauthorized {
			t.Errorf("%+v", got)
		}
	})
	t.Run("Python", func(t *testing.T) {
		var got struct {
			Opened, Client, Scope string
			Tools, Schemas        int
		}
		p.converse(t, owner, &got, filepath.Join(venv, "bin", "python"), "testdata/pypi/agent.py", callback,
			p.API+"/mcp")
		if got.Opened == "" || got.Opened != got.Client || got.Tools < 10 || got.Schemas != got.Tools ||
			strings.Contains(got.Scope, "refunds.write") {
			t.Errorf("%+v", got)
		}
	})
}

// connect runs a node client, gives a person's consent, and reads the client's output.
func (p *program) connect(t *testing.T, owner demo.Owner, got any, script, client, resource string) {
	t.Helper()
	p.converse(t, owner, got, "node", script, p.API, client, callback, resource)
}

// converse runs a client that asks for a person's consent on its output, and reads its result.
func (p *program) converse(t *testing.T, owner demo.Owner, got any, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env, cmd.Stderr = environment(), t.Output()
	in, out := pipes(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // it waits for the person's answer, where there is none
		_ = cmd.Wait()
	}()
	var asked struct{ Authorize string }
	line(t, out, &asked)
	back := p.person(t).allow(asked.Authorize, owner)
	if _, err := io.WriteString(in, back.String()+"\n"); err != nil {
		t.Fatal(err)
	}
	line(t, out, got)
}

func pipes(t *testing.T, cmd *exec.Cmd) (io.Writer, *bufio.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return in, bufio.NewReader(out)
}

// line reads one line of JSON.
func line(t *testing.T, r *bufio.Reader, v any) {
	t.Helper()
	b, err := r.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatalf("the client wrote %q: %v", b, err)
	}
}
