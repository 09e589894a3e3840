package shopify

import (
	"context"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/model"
)

// Report is the result of an import.
type Report struct {
	// Applied says that the import was kept; otherwise it was a dry run.
	Applied bool    `json:"applied"`
	Kinds   []Count `json:"kinds"`
	// Left are the records that were left out, and Notes the differences of imported ones.
	Left  []Finding `json:"left_out"`
	Notes []Finding `json:"notes"`
	// Images are those that a server fetches afterwards.
	Images int64 `json:"images,omitempty"`
}

// Count counts the records of one kind.
type Count struct {
	Kind      state.ImportKind `json:"kind"`
	Read      int64            `json:"read"`
	Created   int64            `json:"created"`
	Updated   int64            `json:"updated"`
	Unchanged int64            `json:"unchanged"`
	Left      int64            `json:"left_out"`
}

// Finding is a remark about one record. Those of a file are at most 10,000.
type Finding struct {
	File string `json:"file"`
	Line int64  `json:"line"`
	// Record is how the file names it, such as its handle or number, if it has one.
	Record string `json:"record"`
	Reason string `json:"reason"`
}

// report adds a job that has ended.
func (c *Config) report(ctx context.Context, r *Report, job *model.Import) error {
	if n := len(r.Kinds); n == 0 || r.Kinds[n-1].Kind != job.Kind {
		r.Kinds = append(r.Kinds, Count{Kind: job.Kind})
	}
	k := &r.Kinds[len(r.Kinds)-1]
	k.Created += job.CreatedCount
	k.Updated += job.UpdatedCount
	k.Unchanged += job.UnchangedCount
	k.Left += job.FailedCount
	k.Read = k.Created + k.Updated + k.Unchanged + k.Left
	r.Images += job.ImagesPending
	for after := (*string)(nil); ; {
		page, err := c.Core.Query().ImportFindings(ctx, job.PublicID(), new(100), after)
		if err != nil {
			return err
		}
		for _, row := range page.Nodes {
			list := &r.Left
			if row.Warning {
				list = &r.Notes
			}
			*list = append(*list, Finding{*job.FileName, row.Line, row.Record, row.Detail})
		}
		if page.Next == "" {
			return nil
		}
		after = &page.Next
	}
}
