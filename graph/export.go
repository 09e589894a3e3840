package graph

import (
	"context"
	"errors"

	"github.com/storefront-go/storefront/graph/model"
)

var errStub = errors.New("not built yet")

// Exports lists the export jobs that the viewer may see, newest first.
func (q Query) Exports(ctx context.Context, first *int, after *string) (*model.ExportConnection, error) {
	return nil, errStub
}

// Export returns one export job that the viewer may see.
func (q Query) Export(ctx context.Context, id string) (*model.Export, error) { return nil, errStub }

// ExportStart starts a job.
func (m Mutation) ExportStart(ctx context.Context, in model.ExportStartInput) (*model.ExportPayload, error) {
	return nil, errStub
}

// ExportCancel stops a job that is queued or running.
func (m Mutation) ExportCancel(ctx context.Context, id string) (*model.ExportPayload, error) {
	return nil, errStub
}

// ExportDelete removes a job and its file.
func (m Mutation) ExportDelete(ctx context.Context, id string) (*model.ExportDeletePayload, error) {
	return nil, errStub
}
