package graph

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/internal/exec"
	"github.com/storefront-go/storefront/graph/model"
)

var errUnwritten = errors.New("not there yet")

type endpointFields struct{ *Resolver }
type deliveryFields struct{ *Resolver }

func (r root) WebhookEndpoint() exec.WebhookEndpointResolver { return endpointFields(r) }
func (r root) WebhookDelivery() exec.WebhookDeliveryResolver { return deliveryFields(r) }

func (f endpointFields) Queue(ctx context.Context, e *model.WebhookEndpoint) (*model.WebhookQueueState, error) {
	return nil, errUnwritten
}
func (f endpointFields) Activity(ctx context.Context, e *model.WebhookEndpoint, hours int) ([]*model.WebhookActivity, error) {
	return nil, errUnwritten
}
func (f endpointFields) Deliveries(ctx context.Context, e *model.WebhookEndpoint, first *int, after *string, only *state.DeliveryState) (*model.WebhookDeliveryConnection, error) {
	return nil, errUnwritten
}
func (f deliveryFields) Attempts(ctx context.Context, d *model.WebhookDelivery) ([]*model.WebhookAttempt, error) {
	return nil, errUnwritten
}
func (f deliveryFields) Payload(ctx context.Context, d *model.WebhookDelivery) (*string, error) {
	return nil, errUnwritten
}
func (q Query) WebhookEndpoints(ctx context.Context, first *int, after *string) (*model.WebhookEndpointConnection, error) {
	return nil, errUnwritten
}
func (q Query) WebhookEndpoint(ctx context.Context, id string) (*model.WebhookEndpoint, error) {
	return nil, errUnwritten
}
func (q Query) WebhookDelivery(ctx context.Context, id string) (*model.WebhookDelivery, error) {
	return nil, errUnwritten
}
func (q Query) WebhookEventTypes(ctx context.Context) ([]*model.WebhookEventType, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookEndpointCreate(ctx context.Context, in model.WebhookEndpointCreateInput) (*model.WebhookEndpointPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookEndpointUpdate(ctx context.Context, id string, expectedVersion int64, in model.WebhookEndpointUpdateInput) (*model.WebhookEndpointPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookEndpointDisable(ctx context.Context, id string, expectedVersion int64) (*model.WebhookEndpointPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookEndpointReactivate(ctx context.Context, id string, expectedVersion int64, backlog state.WebhookBacklog, since *micros.Time) (*model.WebhookEndpointPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookEndpointRotateSecret(ctx context.Context, id string, expectedVersion int64) (*model.WebhookEndpointPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookEndpointPromoteSecret(ctx context.Context, id string, expectedVersion int64) (*model.WebhookEndpointPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookEndpointDelete(ctx context.Context, id string) (*model.WebhookEndpointDeletePayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookEndpointTest(ctx context.Context, id string) (*model.WebhookDeliveryPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookEndpointReplay(ctx context.Context, id string, from, to micros.Time) (*model.WebhookEndpointPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookDeliveryRetry(ctx context.Context, id string) (*model.WebhookDeliveryPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) WebhookDeliverySkip(ctx context.Context, id string) (*model.WebhookDeliveryPayload, error) {
	return nil, errUnwritten
}
