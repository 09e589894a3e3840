package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/mcp"
	"github.com/storefront-go/storefront/rest/web"
)

const mcpTimeout = time.Minute

type mcpCmd struct {
	Key string `env:"STOREFRONT_API_KEY" placeholder:"SFK" help:"An API key; its scopes decide which tools are offered."`
	API string `env:"STOREFRONT_API_HOST" default:"http://127.0.0.1:8080" help:"The API's host."`
}

// Run serves one agent until it closes the connection or a signal arrives.
func (c *mcpCmd) Run(s *session) error {
	if c.Key == "" {
		return &usageError{errors.New("mcp: want --key")}
	}
	if u, err := url.Parse(c.API); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &usageError{errors.New("--api: want http:// or https:// and a host")}
	}
	api := &mcp.Remote{Base: strings.TrimRight(c.API, "/") + rest.Base, Key: c.Key,
		Agent: "storefront-mcp/" + s.build.Version, Client: &http.Client{Timeout: mcpTimeout}}
	tools, err := reached(s.ctx, api)
	if err != nil {
		return fmt.Errorf("mcp: %w", err)
	}
	server := mcp.NewServer(tools, api, s.build.Version)
	return server.Run(s.ctx, &sdk.IOTransport{Reader: s.in, Writer: unclosed{s.out}})
}

// reached returns the tools that the key's scopes allow. A key that may not read its own scopes
// gets all tools, and the API refuses what is beyond them.
func reached(ctx context.Context, api *mcp.Remote) ([]*mcp.Tool, error) {
	document, err := web.JSON(rest.Document)
	if err != nil {
		return nil, err
	}
	tools, err := mcp.Tools(document)
	if err != nil {
		return nil, err
	}
	status, answer, err := api.Do(ctx, &mcp.Request{Method: http.MethodGet, Target: "/me"})
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusForbidden:
		return tools, nil
	case status != http.StatusOK:
		return nil, fmt.Errorf("the API refused the key: status %d", status)
	}
	var me struct {
		Scopes []string `json:"scopes"`
	}
	if err := json.Unmarshal(answer, &me); err != nil {
		return nil, fmt.Errorf("read the identity of the key: %w", err)
	}
	return mcp.Within(tools, scope.Of(me.Scopes...)), nil
}

// unclosed keeps standard output open.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
