package main

import (
	"strconv"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/graph/engine/webhook"
)

type webhooksRequeueCmd struct {
	app.Storage
	output
}

func (c *webhooksRequeueCmd) Run(s *session) error {
	return withWebhooks(s, c.Storage, func(e *webhook.Engine) error {
		n, err := e.Requeue(s.ctx)
		if err != nil {
			return err
		}
		return c.print(s, map[string]int{"events": n}, table{{"Events requeued:", strconv.Itoa(n)}})
	})
}
