package endpoint

import (
	"context"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/model"
)

// WebhookEndpointRotateSecret issues a second secret, which is only in this answer. The first one
// signs until the second is promoted or 24 h have passed. Anyone who knows a secret can forge every
// event of the endpoint, so it requires the same scopes as subscribing to them.
func (m Mutation) WebhookEndpointRotateSecret(ctx context.Context, id string, expectedVersion int64,
) (*model.WebhookEndpointPayload, error) {
	const action = "webhook_endpoint.rotate_secret"
	secret := webhook.NewSecret()
	done, err := m.changeEndpoint(ctx, id, expectedVersion, action, func(ctx context.Context, e *endpointEdit) error {
		row := e.Row
		if err := subscribable(ctx, row.Events); err != nil {
			return err
		}
		if row.NextSecretAt != nil {
			return fault.State(fault.RotationPending,
				"A second secret is pending. Promote it, or wait until it becomes active.")
		}
		now, sealed, hint := micros.Now(), m.Webhooks.Vault.Seal(row.ID, secret), webhook.Hint(secret)
		row.NextSecret, row.NextSecretHint, row.NextSecretAt = sealed, &hint, &now
		// If the second secret has just taken over, the update contains both.
		mutation := e.Update.Mutation()
		mutation.ResetNextSecret()
		mutation.ResetNextSecretHint()
		mutation.ResetNextSecretAt()
		e.Update.SetNextSecret(sealed).SetNextSecretHint(hint).SetNextSecretAt(now)
		e.Changed = append(e.Changed, "next_secret")
		return nil
	})
	if err != nil {
		return nil, err
	}
	done.Secret = &secret
	return done, nil
}

// WebhookEndpointPromoteSecret makes the second secret take over now. It requires the same scopes
// as issuing it.
func (m Mutation) WebhookEndpointPromoteSecret(ctx context.Context, id string, expectedVersion int64,
) (*model.WebhookEndpointPayload, error) {
	const action = "webhook_endpoint.promote_secret"
	return m.changeEndpoint(ctx, id, expectedVersion, action, func(ctx context.Context, e *endpointEdit) error {
		if err := subscribable(ctx, e.Row.Events); err != nil {
			return err
		}
		if e.Row.NextSecretAt == nil {
			return fault.State(fault.InvalidTransition, "The webhook endpoint has no second secret.")
		}
		promote(e)
		e.Changed = append(e.Changed, "secret")
		return nil
	})
}

// promote replaces the first secret by the second, in the row and in the update.
func promote(e *endpointEdit) {
	row := e.Row
	row.Secret, row.SecretHint = row.NextSecret, *row.NextSecretHint
	row.NextSecret, row.NextSecretHint, row.NextSecretAt = nil, nil, nil
	e.Update.SetSecret(row.Secret).SetSecretHint(row.SecretHint).
		ClearNextSecret().ClearNextSecretHint().ClearNextSecretAt()
}
