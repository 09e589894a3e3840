package wire

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/xid"
)

// AppendImport appends an import job.
func AppendImport(b []byte, j *db.ImportJob) []byte {
	o := Open(b)
	o.ID("id", xid.Import, j.ID)
	o.Plain("kind", string(j.Kind))
	o.Plain("status", string(j.Status))
	o.Bool("dry_run", j.DryRun)
	o.StrOpt("file_name", j.FileName)
	o.StrOpt("source_url", j.SourceURL)
	o.Int("size_bytes", j.SizeBytes)
	o.Int("bytes_done", j.BytesDone)
	o.Int("lines_done", j.LinesDone)
	o.Int("created_count", j.CreatedCount)
	o.Int("updated_count", j.UpdatedCount)
	o.Int("unchanged_count", j.UnchangedCount)
	o.Int("failed_count", j.FailedCount)
	o.Int("warning_count", j.WarningCount)
	o.Int("images_pending", j.ImagesPending)
	o.Int("images_failed", j.ImagesFailed)
	o.StrOpt("error_code", j.ErrorCode)
	o.StrOpt("error_message", j.ErrorMessage)
	o.Name("requested_by")
	by := Open(o.B)
	by.Plain("type", string(j.RequesterType))
	by.Str("id", ActorID(j.RequesterType, j.RequesterID))
	by.Str("name", j.RequesterName)
	o.B = by.Close()
	o.Time("created_at", j.ID.Time())
	o.TimeOpt("started_at", j.StartedAt)
	o.TimeOpt("completed_at", j.CompletedAt)
	return o.Close()
}

// AppendImportFinding appends what was found in a row of a file.
func AppendImportFinding(b []byte, f *db.ImportFinding) []byte {
	o := Open(b)
	o.Int("line", f.Line)
	o.Bool("warning", f.Warning)
	o.Str("record", f.Record)
	o.Str("detail", f.Detail)
	return o.Close()
}
