package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

const invoiceSettings = `mutation { done: invoiceSettingsUpdate(expectedVersion: 0, input: {issue: PLACED, name: "Chaos",
	address: {line1: "1 Road", city: "Berlin", country: "DE"}, invoicePrefix: "R-", creditPrefix: "G-"}) {
	userErrors { message } } }`

const invoicePage = `query($after: String) { invoices(first: 100, after: $after) {
	nodes { number orderId } pageInfo { hasNextPage endCursor } } }`

// graphql sends a request as staff until it is answered, and decodes the data.
func (c *crew) graphql(ctx context.Context, key, query string, variables, into any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	_, status, _, answer := c.insist(ctx, request{As: c.staff, Method: http.MethodPost, Path: "/graphql",
		Body: string(body), Key: key})
	var decoded struct {
		Data   json.RawMessage
		Errors []struct{ Message string }
	}
	if err := json.Unmarshal(answer, &decoded); err != nil || len(decoded.Errors) > 0 {
		return unexpected(ctx, "GraphQL", status, answer)
	}
	return json.Unmarshal(decoded.Data, into)
}

// invoice lets the store issue an invoice with each order.
func (c *crew) invoice(ctx context.Context) error {
	return c.graphql(ctx, "invoices", invoiceSettings, nil, &struct{}{})
}

// invoices returns the orders of all invoices by number.
func (c *crew) invoices(ctx context.Context) (map[int64][]string, error) {
	all, after := map[int64][]string{}, (*string)(nil)
	for {
		var page struct {
			Invoices struct {
				Nodes    []struct{ Number, OrderID string }
				PageInfo struct {
					HasNextPage bool
					EndCursor   *string
				}
			}
		}
		if err := c.graphql(ctx, "", invoicePage, map[string]any{"after": after}, &page); err != nil {
			return nil, err
		}
		for _, i := range page.Invoices.Nodes {
			if text, ok := strings.CutPrefix(i.Number, "R-"); ok {
				n, err := strconv.ParseInt(text, 10, 64)
				if err != nil {
					return nil, err
				}
				all[n] = append(all[n], i.OrderID)
			}
		}
		if after = page.Invoices.PageInfo.EndCursor; !page.Invoices.PageInfo.HasNextPage {
			return all, nil
		}
	}
}
