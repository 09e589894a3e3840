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

// requeued is the command's output.
type requeued struct {
	Events int `json:"events"`
}

// Run requeues events.
func (c *webhooksRequeueCmd) Run(s *session) error {
	if err := s.storage(&c.Storage); err != nil {
		return err
	}
	return withWebhooks(s, c.Storage, func(e *webhook.Engine) error {
		n, err := e.Requeue(s.ctx)
		if err != nil {
			return err
		}
		return c.print(s, requeued{n}, table{{"Events requeued:", strconv.Itoa(n)}})
	})
}
