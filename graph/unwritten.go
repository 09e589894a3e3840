package graph

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/graph/model"
)

var errUnwritten = errors.New("unwritten")

// helper "core" writes these
func (q Query) Apps(ctx context.Context, first *int, after *string) (*model.AppConnection, error) {
	return nil, errUnwritten
}
func (q Query) App(ctx context.Context, id string) (*model.App, error) { return nil, errUnwritten }
func (q Query) InstalledApps(ctx context.Context, first *int, after *string) (*model.InstalledAppConnection, error) {
	return nil, errUnwritten
}
func (q Query) Grants(ctx context.Context, first *int, after *string, filter *model.GrantFilter) (*model.GrantConnection, error) {
	return nil, errUnwritten
}
func (q Query) Grant(ctx context.Context, id string) (*model.Grant, error) { return nil, errUnwritten }
func (q Query) SalesReport(ctx context.Context, days int) (*model.SalesReport, error) {
	return nil, errUnwritten
}
func (q Query) Notifications(ctx context.Context, first *int, after *string) (*model.NotificationConnection, error) {
	return nil, errUnwritten
}
func (q Query) UnreadNotifications(ctx context.Context) (int, error) { return 0, errUnwritten }
func (m Mutation) StoreSetLegacy(ctx context.Context, expectedVersion int64, legacy bool) (*model.StorePayload, error) {
	return nil, errUnwritten
}
func (m Mutation) AppCreate(ctx context.Context, input model.AppCreateInput) (*model.AppPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) AppUpdate(ctx context.Context, id string, expectedVersion int64, input model.AppUpdateInput) (*model.AppPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) AppDisable(ctx context.Context, id string, expectedVersion int64) (*model.AppPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) AppEnable(ctx context.Context, id string, expectedVersion int64) (*model.AppPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) AppSetLegacy(ctx context.Context, id string, expectedVersion int64, legacy bool) (*model.AppPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) GrantRevoke(ctx context.Context, id string) (*model.GrantPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) InstalledAppRevoke(ctx context.Context, appID string) (*model.InstalledAppRevokePayload, error) {
	return nil, errUnwritten
}
func (m Mutation) NotificationMarkRead(ctx context.Context, id string) (*model.NotificationPayload, error) {
	return nil, errUnwritten
}
func (m Mutation) NotificationsMarkAllRead(ctx context.Context) (*model.NotificationsPayload, error) {
	return nil, errUnwritten
}
