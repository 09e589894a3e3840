package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/rest"
	"github.com/storefront-go/storefront/rest/mcp"
)

// bearing sends a credential with each request.
type bearing struct{ credential string }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.credential)
	return http.DefaultTransport.RoundTrip(r)
}

// agent connects the SDK's client to the server over HTTP.
func (s *server) agent(t testing.TB, credential string) *sdk.ClientSession {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", DisableStandaloneSSE: true,
			HTTPClient: &http.Client{Transport: bearing{credential}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func call(t testing.TB, agent *sdk.ClientSession, tool string, arguments map[string]any) (text string, refused bool) {
	t.Helper()
	got, err := agent.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	return got.Content[0].(*sdk.TextContent).Text, got.IsError
}

// An agent sees the tools that its credential allows. A tool call is an API request with the same
// answer, idempotency key and refusals.
func TestAgent(t *testing.T) {
	s, m := sqlite(t)
	agent := s.agent(t, m.keyOf(scope.ProductsWrite, scope.ProductsRead))
	listed, err := agent.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if want := []string{"archive_product", "create_product", "get_me", "get_product", "list_products",
		"publish_product", "unpublish_product", "update_product", "update_variant",
		"upsert_product"}; !slices.Equal(names, want) {
		t.Errorf("tools: %v, want %v", names, want)
	}
	draft := map[string]any{"title": "Mug", "price_minor": 1450, "currency": "EUR", "idempotency_key": "agent-1"}
	first, refused := call(t, agent, "create_product", draft)
	if refused {
		t.Fatal(first)
	}
	if again, refused := call(t, agent, "create_product", draft); refused || again != first {
		t.Errorf("the same call again: %t %s", refused, again)
	}
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(first), &made); err != nil {
		t.Fatal(err)
	}
	if read, refused := call(t, agent, "get_product", map[string]any{"id": made.ID}); refused || read != first {
		t.Errorf("read again: %t %s", refused, read)
	}
	for code, arguments := range map[string]map[string]any{
		"idempotency_key_reused":   {"title": "Cup", "price_minor": 1, "currency": "EUR", "idempotency_key": "agent-1"},
		"idempotency_key_required": {"title": "Cup", "price_minor": 1, "currency": "EUR"},
		"validation_failed":        {"title": "Cup", "price_minor": "1", "idempotency_key": "agent-2"},
	} {
		got, refused := call(t, agent, "create_product", arguments)
		if !refused || !strings.Contains(got, `"`+code+`"`) {
			t.Errorf("want %s: %t %s", code, refused, got)
		}
	}
	if _, err := agent.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_orders"}); err == nil {
		t.Error("a tool beyond the credential is called")
	}
	other := newShop(t, s.store, shopRow{})
	if got, refused := call(t, s.agent(t, other.all), "get_product", map[string]any{"id": made.ID}); !refused {
		t.Errorf("another store reads it: %s", got)
	}
}

// A client without a valid credential is referred to the metadata of the requested resource (RFC
// 9728, section 5.1).
func TestAgentChallenge(t *testing.T) {
	s, m := sqlite(t)
	ask := request{Method: http.MethodPost, Path: "/mcp", Body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		Header: map[string]string{"Accept": "application/json, text/event-stream"}, Free: true}
	at := fmt.Sprintf(`resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, apiHost)
	for _, tt := range []struct {
		as, code string
		status   int
	}{
		{as: "", code: "authentication_required", status: http.StatusUnauthorized},
		{as: "sfk_nothing", code: "invalid_token", status: http.StatusUnauthorized},
	} {
		ask.As = tt.as
		got := s.do(t, ask)
		if got.want(tt.status, tt.code); !strings.Contains(got.Header.Get("WWW-Authenticate"), at) {
			t.Errorf("challenge: %s", got.Header.Get("WWW-Authenticate"))
		}
		_, hint, _ := strings.Cut(got.Header.Get("WWW-Authenticate"), `scope="`)
		hint, _, _ = strings.Cut(hint, `"`)
		if asked := scope.Parse(hint); !asked.Has(scope.OrdersRead) || !asked.Has(scope.ProductsWrite) ||
			asked.Has(scope.RefundsWrite) {
			t.Errorf("the hint: %q", hint)
		}
	}
	ask.As, ask.Path = m.all, "/mcp?limit=1"
	s.do(t, ask).want(http.StatusBadRequest, "invalid_parameter")
	ask.Method, ask.Path, ask.Body = http.MethodGet, "/mcp", ""
	if got := s.do(t, ask); got.Status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d %s", got.Status, got.Body)
	}
}

// The messages of an agent count against the rate of its credential, and so do its tool calls.
func TestAgentRate(t *testing.T) {
	s, m := sqlite(t, func(c *rest.Config) { c.RatePerSecond, c.RateBurst = 0.001, 4 })
	agent := s.agent(t, m.all) // takes one or two
	limited := false
	for range 4 {
		got, err := agent.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_me"})
		if limited = err != nil || got.IsError; limited {
			break
		}
	}
	if !limited {
		t.Error("an agent has no bound")
	}
}

// message is an agent's request with a JSON-RPC message.
func message(as, body string) request {
	return request{As: as, Method: http.MethodPost, Path: "/mcp", Body: body, Free: true,
		Header: map[string]string{"Accept": "application/json, text/event-stream"}}
}

// A batch is refused in every version of the protocol, whatever white space precedes it: otherwise
// it would count as one request, and its answer would be unbounded.
func TestAgentBatch(t *testing.T) {
	s, m := sqlite(t)
	one := `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(one, i))
	}
	for _, batch := range []string{"[" + strings.Join(many, ",") + "]", " \r\n\t[" + many[0] + "]", "[]"} {
		for _, version := range []string{"", "2025-03-26", "2025-11-25", "2026-07-28"} {
			ask := message(m.all, batch)
			ask.Header["Mcp-Protocol-Version"] = version
			if got := s.do(t, ask); got.Status != http.StatusBadRequest || len(got.Body) > 200 ||
				!strings.Contains(string(got.Body), "-32600") {
				t.Errorf("%.20q in version %q: %d, %d bytes", batch, version, got.Status, len(got.Body))
			}
		}
	}
	for _, body := range []string{strings.Repeat(" ", 1<<20+1), many[0] + strings.Repeat(" ", 1<<20)} {
		if got := s.do(t, message(m.all, body)); got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("a message of %d bytes: %d %s", len(body), got.Status, got.Body)
		}
	}
	if got := s.do(t, message(m.all, " \n"+many[0])); got.Status != http.StatusOK {
		t.Errorf("a message behind white space: %d %s", got.Status, got.Body)
	}
}

// The result of a tool has at most one mebibyte; agents are asked to fetch fewer rows.
func TestAgentAnswerBound(t *testing.T) {
	s, m := sqlite(t)
	for n := range 20 {
		s.do(t, request{As: m.all, Method: http.MethodPost, Path: "/products", Body: fmt.Sprintf(
			`{"title":"%d","price_minor":1,"currency":"EUR","description":%q}`, n, strings.Repeat("a", 65_000))}).
			want(http.StatusCreated, "")
	}
	agent := s.agent(t, m.all)
	if got, refused := call(t, agent, "list_products", nil); !refused || got != mcp.ErrTooLarge.Error() {
		t.Errorf("20 products: %t %.200s", refused, got)
	}
	if got, refused := call(t, agent, "list_products", map[string]any{"limit": 10}); refused {
		t.Errorf("10 products: %s", got)
	}
}

// No message keeps its connection open, and lists are not shared caches: they depend on the
// credential.
func TestAgentSubscribes(t *testing.T) {
	s, m := sqlite(t)
	for _, method := range []string{"subscriptions/listen", "tools/list"} {
		ask := message(m.all, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+
			`"notifications":{"toolsListChanged":true},"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientInfo":{"name":"agent","version":"1"},`+
			`"io.modelcontextprotocol/clientCapabilities":{}}}}`)
		ask.Header["Mcp-Protocol-Version"], ask.Header["Mcp-Method"] = "2026-07-28", method
		got := s.do(t, ask)
		if listed := strings.Contains(string(got.Body), `"cacheScope":"private"`); got.Status != http.StatusOK ||
			listed != (method == "tools/list") {
			t.Errorf("%s: %d %.200s", method, got.Status, got.Body)
		}
	}
}
