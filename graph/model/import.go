package model

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// Import is an import job. Link leads to its failed rows, if there are any and the viewer may see
// them.
type Import struct {
	*db.ImportJob
	Link *string
}

// Error returns why the job failed, or nil.
func (i *Import) Error() *ImportError {
	if i.ErrorCode == nil || i.ErrorMessage == nil {
		return nil
	}
	return &ImportError{Code: *i.ErrorCode, Message: *i.ErrorMessage}
}

// RequestedBy returns who started the job, with their name at that time.
func (i *Import) RequestedBy() *Author {
	return &Author{Type: i.RequesterType, ID: wire.ActorID(i.RequesterType, i.RequesterID), Name: i.RequesterName}
}
