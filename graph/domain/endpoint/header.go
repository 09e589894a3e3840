package endpoint

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
	"github.com/storefront-go/storefront/graph/model"
)

// hintLen is how many characters of a header's value are shown. Values shorter than hintFrom show
// none.
const (
	hintLen  = 4
	hintFrom = 16
)

// Headers returns the custom headers of an endpoint, without their values, or none if the server
// has lost the key that decrypts them.
func (f Fields) Headers(ctx context.Context, e *model.WebhookEndpoint) ([]*model.WebhookHeader, error) {
	opened, err := f.Webhooks.Vault.OpenHeaders(e.ID, e.WebhookEndpoint.Headers)
	if err != nil {
		f.Logger.ErrorContext(ctx, "webhooks: the headers of an endpoint cannot be read", "error", err)
		return nil, nil
	}
	shown := make([]*model.WebhookHeader, len(opened))
	for i, h := range opened {
		shown[i] = &model.WebhookHeader{Name: h[0]}
		if len(h[1]) >= hintFrom {
			shown[i].ValueHint = new(h[1][len(h[1])-hintLen:])
		}
	}
	return shown, nil
}

func checkHeaders(c *core.Check, list []*model.WebhookHeaderInput) {
	if len(list) > limit.Headers {
		c.Add("headers", fault.TooLong, "There are more than "+strconv.Itoa(limit.Headers)+" headers.")
		return
	}
	names := map[string]bool{}
	for i, h := range list {
		at, name := "headers/"+strconv.Itoa(i), strings.ToLower(h.Name)
		switch {
		case len(h.Name) > limit.HeaderName:
			c.Add(at+"/name", fault.TooLong, "The name has more than "+strconv.Itoa(limit.HeaderName)+" characters.")
		case !attempt.MayAdd(h.Name, ""):
			c.Add(at+"/name", fault.InvalidFormat,
				"This is not a valid header name, or the header is reserved.")
		case names[name]:
			c.Add(at+"/name", fault.Taken, "The header appears twice.")
		}
		names[name] = true
		core.Opt(h.Value, func(value string) { checkHeaderValue(c, at+"/value", value) })
	}
}

// checkHeaderValue allows visible ASCII characters with spaces between them (RFC 9110, section
// 5.5).
func checkHeaderValue(c *core.Check, at, value string) {
	switch {
	case value == "":
		c.Add(at, fault.TooShort, "The value is empty.")
	case len(value) > limit.HeaderValue:
		c.Add(at, fault.TooLong, "The value has more than "+strconv.Itoa(limit.HeaderValue)+" bytes.")
	case strings.Trim(value, " ") != value,
		strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
		c.Add(at, fault.InvalidFormat, "A value may contain only visible ASCII characters, with spaces between them.")
	}
}

// headersOf returns the headers of an input. A header without a value keeps the value from kept; if
// there is none, it is an error.
func headersOf(list []*model.WebhookHeaderInput, kept []webhook.Header) ([]webhook.Header, error) {
	c, headers := &core.Check{}, make([]webhook.Header, len(list))
	for i, h := range list {
		headers[i][0] = h.Name
		if h.Value != nil {
			headers[i][1] = *h.Value
			continue
		}
		old := slices.IndexFunc(kept, func(k webhook.Header) bool { return strings.EqualFold(k[0], h.Name) })
		if old < 0 {
			c.Required("headers/"+strconv.Itoa(i)+"/value", false)
			continue
		}
		headers[i][1] = kept[old][1]
	}
	return headers, c.Err()
}

// changeHeaders sets the headers of an input. Their values are secret, so they do not move to
// another host with the address: a change of the host requires them again.
func (m Mutation) changeHeaders(e *endpointEdit, before string, in model.WebhookEndpointUpdateInput) error {
	row, moved := e.Row, origin(before) != origin(e.Row.URL)
	if !in.Headers.IsSet() {
		if moved && len(row.Headers) > 0 {
			return fault.Invalid(fault.Field{Pointer: "#/headers", Code: fault.Required,
				Detail: "The URL has another host. Send the headers with their values, or null."})
		}
		return nil
	}
	old, err := m.Webhooks.Vault.OpenHeaders(row.ID, row.Headers)
	var kept []webhook.Header // headers that cannot be decrypted are not kept
	if err == nil && !moved {
		kept = old
	}
	headers, wrong := headersOf(in.Headers.Value(), kept)
	if wrong != nil || err == nil && slices.Equal(headers, old) {
		return wrong
	}
	row.Headers = m.Webhooks.Vault.SealHeaders(row.ID, headers)
	if e.Changed = append(e.Changed, "headers"); row.Headers == nil {
		e.Update.ClearHeaders()
	} else {
		e.Update.SetHeaders(row.Headers)
	}
	return nil
}

// origin returns scheme, host and port of a valid address.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}
