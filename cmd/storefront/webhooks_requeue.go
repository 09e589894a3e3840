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
	return `An event that the database rejects, or that triggers a bug, is set aside so that other events continue: ` +
		`storefront doctor shows it with its error. Once the cause is fixed, this command retries all such events; ` +
		`servers and dispatchers may keep running. Endpoints receive them after later events of the same resource, ` +
		`some possibly twice.

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
		return c.print(s, requeued{n}, table{{"Events requeued:", strconv.Itoa(n)}})
	})
}
