package shopify

import (
	"errors"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
)

// Report is what came of an import.
type Report struct {
	// Applied says that it was kept; otherwise it was a dry run.
	Applied bool    `json:"applied"`
	Kinds   []Count `json:"kinds"`
	// Left are the records that were left out, Notes what of others came otherwise.
	Left  []Finding `json:"left_out"`
	Notes []Finding `json:"notes"`
	// More is how many findings there were beside those.
	More int `json:"more,omitempty"`
}

// maxFindings is how many findings of each list a report holds.
const maxFindings = 10_000

// add adds findings to a list of the report, as many as it holds.
func (r *Report) add(list *[]Finding, findings ...Finding) {
	fit := min(len(findings), maxFindings-len(*list))
	*list = append(*list, findings[:fit]...)
	r.More += len(findings) - fit
}

// Count is what came of the records of one kind.
type Count struct {
	Kind string `json:"kind"`
	Read int    `json:"read"`
	// Made were made now, Known before, Left were left out.
	Made  int `json:"made"`
	Known int `json:"known"`
	Left  int `json:"left_out"`
}

// Finding is what is to be said of one record.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Record is its handle, e-mail address or number, as far as it has one.
	Record string `json:"record"`
	Reason string `json:"reason"`
}

// leave reports a record that is left out. An encoding that is broken is said once of a file.
func (i *importer) leave(c *record, reason string) {
	i.count.Left++
	if reason == notUTF8 {
		if i.garbled {
			return
		}
		i.garbled = true
	}
	i.report.add(&i.report.Left, Finding{i.file, c.line, c.name(), reason})
}

// note says, of a record that comes, what is otherwise than in the file.
func (i *importer) note(c *record, format string, args ...any) {
	i.notes = append(i.notes, Finding{i.file, c.line, c.name(), fmt.Sprintf(format, args...)})
}

// name is how people call a record.
func (c *record) name() string {
	if c.key != "" || len(c.rows) == 0 {
		return c.key
	}
	return c.rows[0].get("email")
}

// reason is what is said against a record, with the members of the API that the core
// means; own is false for a failure that is not the record's.
func reason(err error) (text string, own bool) {
	if bad, ok := errors.AsType[*problem](err); ok {
		return bad.text, true
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.ValidationFailed && f.Kind != fault.Conflict {
		return "", false
	}
	if len(f.Fields) == 0 {
		return f.Detail, true
	}
	var list []string
	for _, field := range f.Fields {
		list = append(list, strings.TrimPrefix(field.Pointer, "#/")+": "+field.Detail)
	}
	return strings.Join(list, " "), true
}
