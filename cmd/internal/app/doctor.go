package app

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// Grade is how a check ended.
type Grade string

// The grades of a check. Only Fail makes the whole a failure.
const (
	OK   Grade = "ok"
	Warn Grade = "warn"
	Fail Grade = "fail"
)

// Finding is the outcome of one check.
type Finding struct {
	Check string `json:"check"`
	Grade Grade  `json:"grade"`
	// Found is what is the case.
	Found string `json:"found"`
	// Mend is what to do about it; empty when nothing is wrong.
	Mend string `json:"mend,omitzero"`
}

// Report is what a diagnosis found.
type Report struct {
	Healthy  bool      `json:"healthy"`
	Findings []Finding `json:"findings"`
}

func ok(check, format string, args ...any) Finding {
	return Finding{Check: check, Grade: OK, Found: fmt.Sprintf(format, args...)}
}

func warn(check, found, mend string) Finding { return Finding{check, Warn, found, mend} }

func fail(check, found, mend string) Finding { return Finding{check, Fail, found, mend} }

// Diagnose looks at everything that serve needs and changes nothing: no file is
// made, no migration applied.
func Diagnose(ctx context.Context, c Config) Report {
	r := Report{Healthy: true}
	add := func(list ...Finding) {
		for _, f := range list {
			r.Findings = append(r.Findings, f)
			r.Healthy = r.Healthy && f.Grade != Fail
		}
	}
	if err := c.Check(); err != nil {
		add(fail("settings", err.Error(),
			"correct the flags or the STOREFRONT_ variables; `storefront serve --help` lists them"))
	} else {
		add(ok("settings", "consistent"))
	}
	add(diagnoseFolder(c.Data)...)
	secret, ring := diagnoseSecret(c.Storage)
	add(secret)
	add(diagnoseDatabase(ctx, c.Storage, ring)...)
	add(diagnoseAddresses(ctx, c)...)
	add(judgeCapacity(webhook.MeasureCapacity(true)))
	return r
}

// Print writes the report for people, one finding a line.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-5s %-12s %s\n", f.Grade, f.Check, f.Found)
		if f.Mend != "" {
			fmt.Fprintf(&b, "%-18s -> %s\n", "", f.Mend)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
