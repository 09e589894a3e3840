package endpoint

import (
	"context"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/webhook"
)

// WebhookEndpointRotateSecret issues a second secret, which is in the answer and
// never again. The first signs until the second is promoted, or 24 h pass.
func (m Mutation) WebhookEndpointRotateSecret(ctx context.Context, id string, expectedVersion int64) (*model.WebhookEndpointPayload, error) {
	secret := webhook.NewSecret()
	done, err := m.changeEndpoint(ctx, id, expectedVersion, "webhook_endpoint.rotate_secret", func(_ context.Context, e *endpointEdit) error {
		if e.NextSecretAt != nil {
			return fault.State(fault.RotationPending, "A second secret was issued: promote it, or wait until it takes over.")
		}
		now, sealed, hint := micros.Now(), m.Webhooks.Vault.Seal(e.ID, secret), webhook.Hint(secret)
		e.NextSecret, e.NextSecretHint, e.NextSecretAt = sealed, &hint, &now
		// After a promotion on the way the update holds both.
		mutation := e.update.Mutation()
		mutation.ResetNextSecret()
		mutation.ResetNextSecretHint()
		mutation.ResetNextSecretAt()
		e.update.SetNextSecret(sealed).SetNextSecretHint(hint).SetNextSecretAt(now)
		e.changed = append(e.changed, "next_secret")
		return nil
	})
	if err != nil {
		return nil, err
	}
	done.Secret = &secret
	return done, nil
}

// WebhookEndpointPromoteSecret lets the second secret take over now.
func (m Mutation) WebhookEndpointPromoteSecret(ctx context.Context, id string, expectedVersion int64) (*model.WebhookEndpointPayload, error) {
	return m.changeEndpoint(ctx, id, expectedVersion, "webhook_endpoint.promote_secret", func(_ context.Context, e *endpointEdit) error {
		if e.NextSecretAt == nil {
			return fault.State(fault.InvalidTransition, "The webhook endpoint has no second secret.")
		}
		e.promote()
		e.changed = append(e.changed, "secret")
		return nil
	})
}

// promote puts the second secret in the place of the first, in hand and in the
// update.
func (e *endpointEdit) promote() {
	e.Secret, e.SecretHint = e.NextSecret, *e.NextSecretHint
	e.update.SetSecret(e.Secret).SetSecretHint(e.SecretHint)
	e.NextSecret, e.NextSecretHint, e.NextSecretAt = nil, nil, nil
	e.update.ClearNextSecret().ClearNextSecretHint().ClearNextSecretAt()
}
