package main

import (
	"strings"

	"github.com/alecthomas/kong"
)

// environment is the variables that the program was given. Flags take theirs
// from here and not from the process, so that a test can give its own; an empty
// variable counts as absent.
type environment struct {
	values map[string]string
	names  map[*kong.Flag]string
}

func parseEnv(list []string) *environment {
	e := &environment{values: map[string]string{}, names: map[*kong.Flag]string{}}
	for _, entry := range list {
		if name, value, ok := strings.Cut(entry, "="); ok {
			e.values[name] = value
		}
	}
	return e
}

func (e *environment) get(name string) string { return e.values[name] }

// adopt takes the variables of the flags over from the parser, which would read
// the process's own, and keeps their names in the help.
func (e *environment) adopt(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && len(flag.Envs) > 0 {
			e.names[flag] = flag.Envs[0]
			flag.Help += " ($" + flag.Envs[0] + ")"
			flag.Envs, flag.Tag.Envs = nil, nil
		}
		return next(nil)
	})
}

// Validate implements kong.Resolver.
func (e *environment) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: the value of a flag that the arguments do
// not give.
func (e *environment) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if value := e.values[e.names[flag]]; value != "" {
		return value, nil
	}
	return nil, nil
}
