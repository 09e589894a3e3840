// Package expand finds statements in migrations that would break the previous release, which works
// on the same tables during an upgrade, and again after a rollback. So a release only adds to the
// schema (it expands), and a later one removes what the previous release no longer uses (it
// contracts), with a comment that says since when.
package expand

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ariga.io/atlas/sql/migrate"
)

// Finding is a statement that would break the previous release.
type Finding struct {
	File string
	// Rule says what is wrong, such as "drops a column".
	Rule      string
	Table     string
	Statement string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s %s of %s:\n\t%.200s", f.File, f.Rule, f.Table, f.Statement)
}

// unused is the comment above a destructive statement. It names the first release that does not use
// what the statement removes, by its commit and its newest migration, and the reason.
var unused = regexp.MustCompile(`(?m)^-- unused since [0-9a-f]{8,40} \((\d{14})\): \S.{9,}$`)

// rebuilt is the comment above statements that replace a table by another one with the same
// columns, rows and indexes, as SQLite does within a transaction.
var rebuilt = regexp.MustCompile(`(?m)^-- built anew with all that it has: \S.{9,}$`)

const name = "[`\"]?([a-zA-Z_0-9]+)[`\"]?"

// target matches the table of a statement.
var target = regexp.MustCompile(`(?i)^\s*(?:ALTER TABLE|DROP TABLE(?: IF EXISTS)?|TRUNCATE(?: TABLE)?|DELETE FROM|` +
	`RENAME TABLE|CREATE TABLE(?: IF NOT EXISTS)?|CREATE UNIQUE INDEX\s+` + "[^ ]+" + `\s+ON)\s+` + name)

const unique = "makes what is there unique"

// rules are the destructive kinds of statements.
var rules = []struct {
	rule string
	is   *regexp.Regexp
}{
	{"drops a table", regexp.MustCompile(`(?i)^\s*DROP TABLE`)},
	{"deletes rows", regexp.MustCompile(`(?i)^\s*(?:TRUNCATE|DELETE)\b`)},
	{"renames", regexp.MustCompile(`(?i)\bRENAME\b(?:\s+(?:TO|COLUMN|AS|TABLE)\b|\s+` + name + `\s+TO\b)`)},
	{"drops a column", regexp.MustCompile(`(?i)\bDROP\s+(?:COLUMN\b|` + "`" + `)`)},
	{"changes a type", regexp.MustCompile(`(?i)\b(?:MODIFY|CHANGE)\s+(?:COLUMN\b|` + "`" + `)|\bALTER\s+COLUMN\b`)},
	{"changes the key", regexp.MustCompile(`(?i)^\s*ALTER TABLE.*\b(?:DROP|ADD)\s+(?:CONSTRAINT\s+\S+\s+)?PRIMARY\s+KEY\b`)},
	// Reads name their index, and fail without it.
	{"drops an index", regexp.MustCompile(`(?i)^\s*DROP INDEX|^\s*ALTER TABLE.*\bDROP\s+(?:INDEX|KEY)\b`)},
	{unique, regexp.MustCompile(
		`(?i)^\s*CREATE UNIQUE INDEX|^\s*ALTER TABLE.*\bADD\s+(?:CONSTRAINT\s+\S+\s+)?UNIQUE\b`)},
}

// added matches a column that a statement adds, up to the next clause.
var added = regexp.MustCompile("(?i)\\bADD\\s+(?:COLUMN\\s+)?`[^`]+`\\s+((?:[^,(]|\\([^)]*\\))*)")

// uniqueOver matches a unique index with its columns.
var uniqueOver = regexp.MustCompile(`(?is)\bUNIQUE\b[^(]*\(([^)]*)\)`)

// addedEmpty matches the name of a column that a statement adds without a value.
var addedEmpty = regexp.MustCompile("(?i)\\bADD\\s+COLUMN\\s+(`[^`]+`)\\s+[a-z]+(?:\\([^)]*\\))?\\s+NULL\\b")

var notNull, hasValue = regexp.MustCompile(`(?i)\bNOT\s+NULL\b`), regexp.MustCompile(`(?i)\bDEFAULT\b|\bGENERATED\b|\bAS\s*\(`)

// Find returns the destructive statements of a file without a comment that excuses them. A table
// that the file itself creates has neither rows nor users, and a unique index over
// an empty column that it adds makes nothing unique that is there.
func Find(f migrate.File) ([]Finding, error) {
	statements, err := f.StmtDecls()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	made, empty := map[string]bool{}, map[string][]string{}
	var found []Finding
	for _, s := range statements {
		table := ""
		if m := target.FindStringSubmatch(s.Text); m != nil {
			table = m[1]
		}
		if strings.HasPrefix(strings.ToUpper(strings.TrimSpace(s.Text)), "CREATE TABLE") {
			made[table] = true
			continue
		}
		if excused(s.Comments) || made[table] && !renames(s.Text) {
			continue
		}
		for _, m := range addedEmpty.FindAllStringSubmatch(s.Text, -1) {
			empty[table] = append(empty[table], m[1])
		}
		for _, rule := range violated(s.Text) {
			if rule == unique && slices.ContainsFunc(empty[table], func(c string) bool { return inUnique(s.Text, c) }) {
				continue
			}
			found = append(found, Finding{File: f.Name(), Rule: rule, Table: table, Statement: s.Text})
		}
	}
	return found, nil
}

// inUnique reports whether every unique index of a statement has a column.
func inUnique(text, column string) bool {
	for _, m := range uniqueOver.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(m[1], column) {
			return false
		}
	}
	return true
}

func renames(text string) bool { return rules[2].is.MatchString(text) }

func excused(comments []string) bool {
	return since(comments) != "" ||
		slices.ContainsFunc(comments, func(c string) bool { return rebuilt.MatchString(strings.TrimSpace(c)) })
}

func since(comments []string) string {
	for _, c := range comments {
		if m := unused.FindStringSubmatch(strings.TrimSpace(c)); m != nil {
			return m[1]
		}
	}
	return ""
}

// Since returns the newest migration of the oldest program that works on the result; "" for any.
func Since(f migrate.File) (newest string, err error) {
	statements, err := f.StmtDecls()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", f.Name(), err)
	}
	for _, s := range statements {
		newest = max(newest, since(s.Comments))
	}
	return newest, nil
}

func violated(text string) (list []string) {
	text = strings.Join(strings.Fields(text), " ")
	for _, r := range rules {
		if r.is.MatchString(text) {
			list = append(list, r.rule)
		}
	}
	for _, m := range added.FindAllStringSubmatch(text, -1) {
		if notNull.MatchString(m[1]) && !hasValue.MatchString(m[1]) {
			list = append(list, "adds a column without a value")
			break
		}
	}
	return list
}
