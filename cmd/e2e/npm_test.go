package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// envNPM names a copy of testdata/npm with its packages installed: those tests
// that need them run where it is given, as .ci/run does.
const envNPM = "STOREFRONT_TEST_NPM"

// TestNPMClients lets the two OAuth clients that browsers and node programs use
// most go the whole way, from discovery to revocation.
func TestNPMClients(t *testing.T) {
	folder := os.Getenv(envNPM)
	if folder == "" {
		t.Skip("the clients are packages of npm: give a folder with them in " + envNPM)
	}
	p := start(t, settings{Data: demoData(t), Args: []string{"--rate-limit", "0"}})
	f := p.demo(t)
	for _, script := range []string{"oauth4webapi.mjs", "openid-client.mjs"} {
		t.Run(script, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "node", filepath.Join(folder, script), p.API,
				f.OAuthApp.ClientID, callback, p.API+base)
			cmd.Env, cmd.Stderr = environment(), t.Output()
			in, out := pipes(t, cmd)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			var asked struct{ Authorize string }
			line(t, out, &asked)
			back := p.person(t).allow(asked.Authorize, f.Stores[0].Owner)
			if _, err := io.WriteString(in, back.String()+"\n"); err != nil {
				t.Fatal(err)
			}
			var got struct {
				Opened, Refreshed, Revoked, ExpiresIn int
				Scope                                 string
				Rotated                               bool
			}
			line(t, out, &got)
			if got.Opened != http.StatusOK || got.Refreshed != http.StatusOK ||
				got.Revoked != http.StatusUnauthorized ||
				got.Scope != "orders.read products.read" || got.ExpiresIn != 3600 || !got.Rotated {
				t.Errorf("%+v", got)
			}
		})
	}
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
