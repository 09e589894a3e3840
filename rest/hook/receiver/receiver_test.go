package receiver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
	"github.com/storefront-go/storefront/rest/hook/conformance"
	"github.com/storefront-go/storefront/rest/hook/receiver"
)

const (
	// envRequire turns a missing interpreter into a failure, as in .ci/run.
	envRequire = "STOREFRONT_REQUIRE_INTERPRETERS"
	shared     = "../testdata/webhook-signature.json"
	secret     = "whsec_DG9kWUOGvb/E3uvdhwpwfO/xyvbsO/+5Jsg87K+fMVw="
)

// program is how a receiver is run. The interpreter comes first.
type program struct{ check, serve []string }

// programs knows every file of the package.
func programs(t *testing.T) map[string]program {
	built := filepath.Join(t.TempDir(), "verify")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", built,
		"verify.go").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return map[string]program{
		"verify.go":  {[]string{built}, []string{built}},
		"verify.mjs": {[]string{"node", "verify.mjs"}, []string{"node", "verify.mjs"}},
		"verify.py":  {[]string{"python3", "verify.py"}, []string{"python3", "verify.py"}},
		"verify.php": {[]string{"php", "verify.php"}, []string{"php", "-S", "127.0.0.1:0", "verify.php"}},
	}
}

// each runs a test for every receiver whose interpreter is installed.
func each(t *testing.T, run func(*testing.T, program)) {
	known := programs(t)
	for _, e := range receiver.Examples() {
		t.Run(e.Language, func(t *testing.T) {
			p, ok := known[e.File]
			if !ok {
				t.Fatalf("no way to run %s is known", e.File)
			}
			if _, err := exec.LookPath(p.check[0]); err != nil {
				if os.Getenv(envRequire) == "1" {
					t.Fatalf("%s is not there, and %s is set", p.check[0], envRequire)
				}
				t.Skipf("%s is not there: %s was NOT checked", p.check[0], e.File)
			}
			run(t, p)
		})
	}
}

func TestVectors(t *testing.T) {
	attacks, empty := write(t, attacks()), write(t, emptySecret())
	wrong := write(t, strings.Replace(read(t, shared), `"1efbfa70`, `"0efbfa70`, 1))
	each(t, func(t *testing.T, p program) {
		for _, tc := range []struct{ name, file, want string }{
			{"shared", shared, "34 of 34 vectors\n"},
			{"attacks", attacks, "32 of 32 vectors\n"},
			{"no secret", empty, "1 of 1 vectors\n"},
			{"a wrong vector is reported", wrong, "FAIL signed\n33 of 34 vectors\n"},
		} {
			out, err := exec.CommandContext(t.Context(), p.check[0], append(p.check[1:], "--vectors", tc.file)...).
				CombinedOutput()
			if string(out) != tc.want || (err != nil) != strings.HasPrefix(tc.want, "FAIL") {
				t.Errorf("%s: %v\n%s", tc.name, err, out)
			}
		}
	})
}

// vector is one of the file's.
type vector struct {
	Why     string            `json:"why"`
	Headers map[string]string `json:"headers"`
	Now     int64             `json:"now"`
}

// attacks returns vectors with timestamps that languages parse differently. Their signatures match,
// so only the rule about timestamps refuses them.
func attacks() string {
	const now = 1767311999
	body := []byte(`{"event_id":"evt_1"}`)
	of := func(timestamp, signature string) vector {
		return vector{timestamp + " " + signature,
			map[string]string{"x-service-timestamp": timestamp, "x-service-signature": signature}, now}
	}
	signed := func(timestamp string) vector { return of(timestamp, hook.Signature(secret, timestamp, body)) }
	good := hook.Signature(secret, "1767311999", body)
	refuse := []vector{signed(""), of("1767311999", ""), of("1767311999", good[:1]), of("1767311999", good+"0"),
		of("1767311999", " "+good), of("1767311999", good+"\n"), of("1767311999", strings.Repeat("ä", 32)),
		of("1767311999", strings.ToUpper(good))}
	for _, timestamp := range []string{"nan", "inf", "-Infinity", "1e400", "1.767311999e9", "0x6957017f",
		"1_767_311_999", " 1767311999", "1767311999 ", "1767311999\n",
		"1767311999.0", "1767311999.", "+1767311999", "-1767311999", "١٧٦٧٣١١٩٩٩", "9223372036854775808",
		strings.Repeat("9", 400), "1767311698", "1767312300", "0"} {
		refuse = append(refuse, signed(timestamp))
	}
	accept := []vector{signed("1767311999"), signed("1767311699"), signed("1767312299"), signed("01767311999")}
	return encode(secret, body, accept, refuse)
}

// emptySecret is a delivery that anyone can sign.
func emptySecret() string {
	h := map[string]string{
		"x-service-timestamp": "1767311999", "x-service-signature": hook.Signature("", "1767311999", []byte("{}")),
	}
	return encode("", []byte("{}"), nil, []vector{{"no secret", h, 1767311999}})
}

func encode(secret string, body []byte, accept, refuse []vector) string {
	b, err := json.Marshal(map[string]any{"sign": []any{}, "receiver": map[string]any{
		"secret": secret, "body_base64": body, "accept": append([]vector{}, accept...), "refuse": refuse}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "vectors.json")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The receivers pass all checks that integrators can run against theirs.
func TestConformance(t *testing.T) {
	each(t, func(t *testing.T, p program) {
		for r := range conformance.Run(t.Context(), conformance.Config{URL: serve(t, p, "ping ord_"), Secret: secret,
			Former: "whsec_bmV4dA=="}) {
			if r.Problem != "" {
				t.Errorf("%s: %s", r.Name, r.Problem)
			}
		}
	})
}

// The receivers serve: the body is hashed as received, before it is parsed.
func TestServing(t *testing.T) {
	each(t, func(t *testing.T, p program) {
		at := serve(t, p, "order.paid ord_ä 1")
		// White space, escapes and a large number would not survive re-encoding.
		odd := "{ \"event_id\" : \"evt_" + strconv.FormatInt(time.Now().UnixNano(), 36) +
			"\",\r\n \"type\":\"order\\u002epaid\", \"n\":90071992547409911.0," +
			"\"resource\":{\"id\":\"ord_\\u00e4\"},\"sequence\":1,\"none\":null}\n"
		for _, tc := range []struct {
			name, method string
			body         string
			h            http.Header
			status       int
		}{
			{name: "a delivery", method: "POST", body: odd, h: sign(odd), status: 204},
			{name: "again", method: "POST", body: odd, h: sign(odd), status: 204},
			{name: "other bytes", method: "POST", body: odd + " ", h: sign(odd), status: 401},
			{name: "no headers", method: "POST", body: odd, status: 401},
			{name: "a header twice", method: "POST", body: odd, h: twice(sign(odd)), status: 401},
			{name: "not JSON", method: "POST", body: "{", h: sign("{"), status: 400},
			{name: "too large", method: "POST", body: strings.Repeat(" ", 400<<10), h: sign(""), status: 413},
		} {
			got, err := post(t, at, tc.method, tc.body, tc.h)
			if got != tc.status && (err == nil || tc.status != 413) { // or the connection ends
				t.Errorf("%s: %d, %v, want %d", tc.name, got, err, tc.status)
			}
		}
	})
}

func sign(body string) http.Header {
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	return http.Header{
		hook.HeaderTimestamp: {timestamp}, hook.HeaderSignature: {hook.Signature(secret, timestamp, []byte(body))},
	}
}

func twice(h http.Header) http.Header {
	h[hook.HeaderTimestamp] = append(h[hook.HeaderTimestamp], h[hook.HeaderTimestamp]...)
	return h
}

func post(t *testing.T, at, method, body string, h http.Header) (int, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = h.Clone()
	client := http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	return res.StatusCode, nil
}

// serve starts a receiver and returns its address, once it has printed it. At the end it must have
// handled an event once, as it prints them, and no event twice.
func serve(t *testing.T, p program, event string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.serve[0], p.serve[1:]...)
	cmd.Env = append(cmd.Environ(), "STOREFRONT_WEBHOOK_SECRET=whsec_bmV4dA==,"+secret, "PORT=0", "TMPDIR="+t.TempDir())
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
		writer.Close()
	}()
	var output bytes.Buffer
	lines := bufio.NewScanner(io.TeeReader(reader, &output))
	at := ""
	for at == "" && lines.Scan() {
		at = regexp.MustCompile(`http://127\.0\.0\.1:[1-9][0-9]*`).FindString(lines.Text())
	}
	if at == "" {
		t.Fatalf("it does not say where it listens: %s", &output)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		io.Copy(&output, reader)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
		<-drained
		if n := strings.Count(output.String(), event); n != 1 {
			t.Errorf("the event was handled %d times:\n%s", n, &output)
		}
		handled := regexp.MustCompile(`order\.paid \S+ \d`).FindAllString(output.String(), -1)
		if slices.Sort(handled); len(slices.Compact(slices.Clone(handled))) != len(handled) {
			t.Errorf("an event was handled twice:\n%s", &output)
		}
	})
	return at
}

func TestExamples(t *testing.T) {
	for _, e := range receiver.Examples() {
		if len(e.Source) < 2000 || strings.Contains(e.Source, "go:build") || len(e.Source) > 8000 ||
			strings.Contains(e.Source, "\t\t\t\t\t\t") {
			t.Errorf("%s: %d bytes", e.File, len(e.Source))
		}
	}
}
