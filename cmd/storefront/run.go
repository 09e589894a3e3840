package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent/fault"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const about = `The commerce service: public REST API, GraphQL and their tools.

Settings come from flags, then STOREFRONT_* variables, then defaults. The root secret comes from ` +
	`STOREFRONT_SECRET_KEY_FILE, STOREFRONT_SECRET_KEY or a file in --data.

Exit codes: 0 success, 1 failure, 2 wrong usage. Errors are one line on standard error.`

// stdio holds the outputs of the program, and the input of commands that read it.
type stdio struct {
	out, err io.Writer
	in       io.ReadCloser
}

type session struct {
	stdio
	ctx    context.Context
	getenv func(string) string
	build  app.Build
}

type commands struct {
	Serve    serveCmd    `cmd:"" help:"Serve the API until a signal arrives."`
	Dispatch dispatchCmd `cmd:"" help:"Deliver webhooks until a signal arrives."`
	Migrate  migrateCmd  `cmd:"" help:"Manage the database schema."`
	Store    storeCmd    `cmd:"" help:"Create and manage stores."`
	Key      keyCmd      `cmd:"" help:"Create, rotate and revoke API keys."`
	App      appCmd      `cmd:"" help:"Register and manage OAuth apps."`
	Staff    staffCmd    `cmd:"" help:"Manage the staff of a store."`
	Webhooks webhooksCmd `cmd:"" help:"Test webhook receivers and retry events."`
	Reports  reportsCmd  `cmd:"" help:"Rebuild sales reports."`
	Theme    themeCmd    `cmd:"" help:"Check and preview themes."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Offer the API to an agent as tools, on standard input and output."`
	Backup   backupCmd   `cmd:"" help:"Back up a SQLite installation to one file while servers run."`
	Restore  restoreCmd  `cmd:"" help:"Restore a backup into an empty folder."`
	Import   importCmd   `cmd:"" help:"Import the exports of another shop system."`
	Secret   secretCmd   `cmd:"" help:"Manage the root secret."`
	Status   fleetCmd    `cmd:"" help:"Show the processes of the database and their backlog."`
	Doctor   doctorCmd   `cmd:"" help:"Check the installation and say how to repair it."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

type command interface{ Run(s *session) error }

// run parses the arguments, runs the command and returns the exit code.
func run(ctx context.Context, args, env []string, std stdio) int {
	variables := parseEnv(env)
	selected, err := parse(args, variables, std)
	if err != nil {
		return report(std, err, exitUsage)
	}
	if selected == nil {
		return exitOK
	}
	s := &session{stdio: std, ctx: ctx, getenv: variables.get, build: app.ReadBuild()}
	if err := selected.Run(s); err != nil {
		if _, wrong := errors.AsType[*usageError](err); wrong {
			return report(std, err, exitUsage)
		}
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		return report(std, err, exitFailed)
	}
	return exitOK
}

// parse returns the command that the arguments name; nil after printing help. The parser is garbage
// afterwards: its model of all commands is a tenth of a server's memory.
func parse(args []string, variables environment, std stdio) (command, error) {
	helped, flags := false, newFlags(variables)
	parser, err := kong.New(&commands{},
		kong.Name("storefront"), kong.Description(about),
		kong.Writers(std.out, std.err), kong.Exit(func(int) { helped = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.PostBuild(flags.adopt), kong.PostBuild(describe), kong.Resolvers(flags),
	)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	switch {
	case helped:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w (try --help)", err)
	}
	return parsed.Selected().Target.Addr().Interface().(command), nil
}

// helpTexts has a section for each command.
//
//go:embed help.txt
var helpTexts string

// describe adds the sections of help.txt to the commands.
func describe(k *kong.Kong) error {
	sections := map[string]string{}
	for section := range strings.SplitSeq("\n"+helpTexts, "\n== ") {
		names, text, _ := strings.Cut(section, "\n")
		for name := range strings.SplitSeq(names, ", ") {
			sections[name] = strings.TrimSpace(text)
		}
	}
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok && n.Type == kong.CommandNode {
			n.Detail = sections[n.Path()]
		}
		return next(nil)
	})
}

// usageError is an error in the arguments that the parser cannot detect.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// misused wraps a settings error so that the program exits with 2; nil stays nil.
func misused(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// errSilent ends a command that has reported its failure itself.
var errSilent = errors.New("failed")

func report(std stdio, err error, code int) int {
	if !errors.Is(err, errSilent) {
		_, _ = fmt.Fprintln(std.err, "storefront: "+explain(err))
	}
	return code
}

// explain returns the text of an error for the person at the terminal.
func explain(err error) string {
	text := err.Error()
	if f, ok := errors.AsType[*fault.Error](err); ok {
		text = f.Detail
		for _, field := range f.Fields {
			text += " " + strings.TrimPrefix(field.Pointer, "#/") + field.Parameter + ": " + field.Detail
		}
	}
	return strings.Join(strings.Fields(text), " ")
}
