package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/demo"
)

// serve runs the whole program in this process on free ports, until stop.
func (c cli) serve(args ...string) (out io.Reader, stop func() outcome) {
	ctx, signal := context.WithCancel(c.t.Context())
	read, write := io.Pipe()
	ended := make(chan outcome, 1)
	go func() {
		var err bytes.Buffer
		code := run(ctx, append([]string{"serve", "--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}, args...),
			c.env, stdio{out: write, err: &err})
		write.Close()
		ended <- outcome{code: code, err: err.String()}
	}()
	return read, func() outcome {
		signal()
		return <-ended
	}
}

// serveJSON runs the program and returns its addresses.
func (c cli) serveJSON(args ...string) (at started, stop func() outcome) {
	c.t.Helper()
	out, stop := c.serve(append(args, "--json")...)
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		c.t.Fatalf("what it prints: %v; %+v", err, stop())
	}
	return at, stop
}

func (c cli) get(address string) (status int, body string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// A second demo on the same data leaves the running one's file alone.
func TestServeUntilTheSignal(t *testing.T) {
	c := newCLI(t)
	at, stop := c.serveJSON("--demo", "--demo-orders", "1")
	if at.DemoFile == nil {
		t.Fatalf("%+v", at)
	}
	if status, body := c.get(at.AdminURL + "/readyz"); status != http.StatusOK {
		t.Fatalf("readyz: %d %s", status, body)
	}
	c.get(at.APIHost + "/api/public/v1/me")
	_, metrics := c.get(at.AdminURL + "/metrics")
	checkMetrics(t, metrics)
	path := filepath.Join(c.data(), demo.FileName)
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file demo.File
	if err := json.Unmarshal(was, &file); err != nil {
		t.Fatal(err)
	}
	checkExample(t, file.BaseURL, file.Stores[0].Keys["all"])
	second, stopSecond := c.serveJSON("--demo", "--demo-orders", "1")
	if o := stopSecond(); o.code != exitOK || second.DemoFile != nil {
		t.Errorf("the second: %+v, %+v; want a clean end and no file", second, o)
	}
	if is, err := os.ReadFile(path); err != nil || !bytes.Equal(was, is) {
		t.Errorf("the second demo wrote the first one's file: %v\n%s", err, is)
	}
	o := stop()
	if o.code != exitOK || !strings.Contains(o.err, `"store_rate_limit":`) {
		t.Errorf("%+v, want a clean end, and all settings in the log", o)
	}
}

// The command printed by an empty installation creates its first store.
func TestFirstStore(t *testing.T) {
	c := newCLI(t)
	data := filepath.Join(t.TempDir(), "a folder")
	out, stop := c.serve("--data", data)
	var printed strings.Builder
	var command string
	for buf := make([]byte, 4096); command == ""; {
		n, err := out.Read(buf)
		printed.Write(buf[:n])
		_, rest, _ := strings.Cut(printed.String(), "    storefront ")
		command, _, _ = strings.Cut(rest, "\n")
		if err != nil {
			break
		}
	}
	if !strings.Contains(printed.String(), "/dashboard\n") || !strings.Contains(command, "'"+data+"'") {
		t.Fatalf("it prints no dashboard, or no command:\n%s\n%+v", printed.String(), stop())
	}
	args := []string{"store", "create", "My shop"}
	_, flags, _ := strings.Cut(command, `"My shop" `)
	for flag := range strings.SplitSeq(strings.ReplaceAll(flags, "'"+data+"'", "DATA"), " ") {
		args = append(args, strings.ReplaceAll(flag, "DATA", data))
	}
	var made shop
	c.decode(&made, args...)
	if status, body := c.get(*made.Invitation.Link); status != http.StatusOK || !strings.Contains(body, "My shop") {
		t.Errorf("the link %s: %d", *made.Invitation.Link, status)
	}
	if o := stop(); o.code != exitOK {
		t.Errorf("%+v", o)
	}
}

// A person who reads along sees only the settings that they chose; a log has all.
func TestSettingsLine(t *testing.T) {
	usual, err := usualSettings()
	if err != nil {
		t.Fatal(err)
	}
	if usual.Addr != "127.0.0.1:8080" || usual.DemoOrders != 500 || !usual.Explorer {
		t.Errorf("not the defaults: %+v", usual)
	}
	chosen := *usual
	chosen.Addr = "127.0.0.1:8090"
	var b bytes.Buffer
	log, flush := app.Log{LogFormat: "text"}.Logger(&b)
	log.Info("starting", "settings", chosen.Summary(usual))
	flush()
	if line := b.String(); !strings.HasSuffix(line,
		"settings.database=sqlite:"+absolute(t, "storefront-data/storefront.db")+" settings.addr=127.0.0.1:8090\n") {
		t.Errorf("the short line: %s", line)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
