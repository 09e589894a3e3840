package shopify

import (
	"errors"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/fault"
)

// Report is the result of an import.
type Report struct {
	// Applied says that the import was kept; otherwise it was a dry run.
	Applied bool    `json:"applied"`
	Kinds   []Count `json:"kinds"`
	// Left are the records that were left out, and Notes the differences of imported ones.
	Left  []Finding `json:"left_out"`
	Notes []Finding `json:"notes"`
	// More is the number of findings beyond those listed.
	More int `json:"more,omitempty"`
}

const maxFindings = 10_000

func (r *Report) add(list *[]Finding, findings ...Finding) {
	fit := min(len(findings), maxFindings-len(*list))
	*list = append(*list, findings[:fit]...)
	r.More += len(findings) - fit
}

// Count counts the records of one kind.
type Count struct {
	Kind string `json:"kind"`
	Read int    `json:"read"`
	// Made were created now, Known before, Left were left out.
	Made  int `json:"made"`
	Known int `json:"known"`
	Left  int `json:"left_out"`
}

// Finding is a remark about one record.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Record is its handle, email address or number, if it has one.
	Record string `json:"record"`
	Reason string `json:"reason"`
}

// leave reports a record that is left out. A wrong encoding is reported once per file.
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

// note reports how an imported record differs from the file.
func (i *importer) note(c *record, format string, args ...any) {
	i.notes = append(i.notes, Finding{i.file, c.line, c.name(), fmt.Sprintf(format, args...)})
}

// name returns how people refer to a record.
func (c *record) name() string {
	if c.key != "" || len(c.rows) == 0 {
		return c.key
	}
	return c.rows[0].get("email")
}

// reason returns what is wrong with a record; own is false if the error is about something else.
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
