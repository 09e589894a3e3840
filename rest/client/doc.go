// Package client speaks the Storefront REST API v1.
//
// The types and one method per operation are generated from the OpenAPI document. The package adds
// the credential and an Idempotency-Key to each request, returns error responses as errors, and has
// iterators over all pages of a list.
//
//	c, err := client.New("https://api.example.com/api/public/v1", key)
//	…
//	for order, err := range c.Orders(ctx, &client.ListOrdersParams{Status: new(client.OrderStatusOpen)}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(order.Number, order.TotalMinor, order.Currency)
//	}
//
//	mug := client.ProductCreate{Title: "Mug", PriceMinor: 1450, Currency: "EUR"}
//	res, err := c.CreateProductWithResponse(ctx, nil, mug)
//	if err == nil {
//		err = client.Err(res)
//	}
//	if p, ok := errors.AsType[*client.Problem](err); ok && p.Code == "validation_failed" {
//		…
//	}
package client

//go:generate go tool oapi-codegen -config config.yaml ../openapi.yaml
//go:generate go run ./internal/gen
