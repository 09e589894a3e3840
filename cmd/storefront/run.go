package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/ent/fault"
)

// Exit codes of the program.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const about = `The commerce service: public REST API, GraphQL and their tools.

Settings come from flags, then STOREFRONT_* variables, then defaults. The root secret comes from ` +
	`STOREFRONT_SECRET_KEY_FILE, STOREFRONT_SECRET_KEY or a file in --data.

Exit codes: 0 done, 1 failed, 2 wrong usage. Errors are one line on standard error.`

// stdio holds the outputs of the program, and the input of commands that read it.
type stdio struct {
	out, err io.Writer
	in       io.ReadCloser
}

// session is the context of a running command.
type session struct {
	stdio
	ctx    context.Context
	getenv func(string) string
	build  app.Build
}

// commands is the command line.
type commands struct {
	Serve    serveCmd    `cmd:"" help:"Serve the API until a signal comes."`
	Dispatch dispatchCmd `cmd:"" help:"Deliver webhooks until a signal comes."`
	Migrate  migrateCmd  `cmd:"" help:"Look after the database's schema."`
	Store    storeCmd    `cmd:"" help:"Make and list stores."`
	Key      keyCmd      `cmd:"" help:"Make, rotate and revoke API keys."`
	App      appCmd      `cmd:"" help:"Register OAuth apps and look after them."`
	Staff    staffCmd    `cmd:"" help:"Look after the people of a store."`
	Webhooks webhooksCmd `cmd:"" help:"Build and try receivers of webhooks, and repair."`
	Reports  reportsCmd  `cmd:"" help:"Repair what sales reports read."`
	Theme    themeCmd    `cmd:"" help:"Check and show themes while they are written."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Offer the API's rows to an agent as tools, on standard input and output."`
	Backup   backupCmd   `cmd:"" help:"Keep an installation on SQLite in one file, beside running servers."`
	Restore  restoreCmd  `cmd:"" help:"Bring back what a backup keeps, into an empty folder."`
	Import   importCmd   `cmd:"" help:"Bring in what another shop system exports."`
	Secret   secretCmd   `cmd:"" help:"Look after the root secret."`
	Status   fleetCmd    `cmd:"" help:"Show the processes that work on the database, and their work."`
	Doctor   doctorCmd   `cmd:"" help:"Check the installation and say how to repair it."`
	Version  versionCmd  `cmd:"" help:"Print what this program is."`
}

// command is the command that the arguments name, with its flags.
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
		kong.PostBuild(flags.adopt), kong.Resolvers(flags),
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

// report writes one line about err.
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
