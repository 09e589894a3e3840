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

// Help implements kong.HelpProvider.
func (webhooksRequeueCmd) Help() string {
	return `An event that the database refuses to relay, or that brings a mistake of the program to light, is set aside, ` +
		`so that the others go on: storefront doctor names it with the error. Once the cause is gone, this puts all such ` +
		`events back; servers and dispatchers may run meanwhile. Endpoints get them after later events of the same ` +
		`resource, which went on, and some perhaps once more.

Examples:

    storefront webhooks requeue
    storefront webhooks requeue --database-file /run/secrets/database --json
`
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
		return c.print(s, requeued{n}, table{{"Events put back:", strconv.Itoa(n)}})
	})
}
