package app

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/storefront-go/storefront/graph/engine/webhook"
)

// Grade is the result of a check.
type Grade string

// Grades of a check. Only Fail fails the whole diagnosis.
const (
	OK   Grade = "ok"
	Warn Grade = "warn"
	Fail Grade = "fail"
)

// Finding is the outcome of one check.
type Finding struct {
	Check string `json:"check"`
	Grade Grade  `json:"grade"`
	Found string `json:"found"`
	// Remedy says what to do about it; empty if nothing is wrong.
	Remedy string `json:"mend,omitzero"`
}

// Report is the result of a diagnosis.
type Report struct {
	Healthy  bool      `json:"healthy"`
	Findings []Finding `json:"findings"`
}

func ok(check, format string, args ...any) Finding {
	return Finding{Check: check, Grade: OK, Found: fmt.Sprintf(format, args...)}
}

func warn(check, found, remedy string) Finding { return Finding{check, Warn, found, remedy} }

func fail(check, found, remedy string) Finding { return Finding{check, Fail, found, remedy} }

// Diagnose checks everything that serve needs, and changes nothing.
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
	add(diagnoseDatabase(ctx, c, ring)...)
	add(diagnoseAddresses(ctx, c)...)
	add(judgeCapacity(webhook.MeasureCapacity(true)))
	return r
}

// Print writes the report for people, one line per finding.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-5s %-12s %s\n", f.Grade, f.Check, f.Found)
		if f.Remedy != "" {
			fmt.Fprintf(&b, "%-18s -> %s\n", "", f.Remedy)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
