package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An agent that starts the program gets the tools that the key allows, and calls them with it.
func TestMCP(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Header.Get("Authorization") != "Bearer sfk_test":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/api/public/v1/me":
			_, _ = io.WriteString(w, `{"scopes":["orders.read"]}`)
		default:
			_, _ = io.WriteString(w, `{"path":"`+r.URL.RequestURI()+`"}`)
		}
	}))
	t.Cleanup(api.Close)
	fromAgent, toProgram := io.Pipe()
	fromProgram, toAgent := io.Pipe()
	var errs bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{"mcp", "--key", "sfk_test", "--api", api.URL}, nil,
			stdio{out: toAgent, err: &errs, in: fromAgent})
	}()
	agent, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
		&sdk.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := agent.ListTools(t.Context(), nil)
	if err != nil || len(listed.Tools) != 5 {
		t.Errorf("tools: %v %v, want the five of orders.read", listed, err)
	}
	got, err := agent.CallTool(t.Context(),
		&sdk.CallToolParams{Name: "list_orders", Arguments: map[string]any{"limit": 2}})
	if want := `{"path":"/api/public/v1/orders?limit=2"}`; err != nil || got.Content[0].(*sdk.TextContent).Text != want {
		t.Errorf("call: %v %v, want %s", got, err, want)
	}
	if err := agent.Close(); err != nil {
		t.Error(err)
	}
	if code := <-ended; code != exitOK {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// A key that the API refuses ends the program before an agent waits for it.
func TestMCPRefused(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"status":401}`)
	}))
	t.Cleanup(api.Close)
	for args, want := range map[string]int{
		"mcp --key sfk_test --api " + api.URL: exitFailed,
		"mcp --api " + api.URL:                exitUsage,
		"mcp --key sfk_test --api nowhere":    exitUsage,
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), strings.Fields(args), nil, stdio{out: &out, err: &errs})
		if code != want || out.Len() > 0 {
			t.Errorf("%s: exit code %d, %s%s", args, code, out.String(), errs.String())
		}
	}
}
