package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/storefront-go/storefront/cmd/internal/app"
)

// environment holds the variables given to the program. Flags read theirs from here and not from
// the process, so that tests can set them; an empty variable counts as absent.
type environment map[string]string

func parseEnv(list []string) environment {
	e := environment{}
	for _, entry := range list {
		if name, value, ok := strings.Cut(entry, "="); ok {
			e[name] = value
		}
	}
	return e
}

func (e environment) get(name string) string { return e[name] }

// storage completes the storage settings and checks them. An error is a usage error.
func (s *session) storage(st *app.Storage) error {
	if err := s.secretKey(st); err != nil {
		return err
	}
	return misused(st.Check())
}

// secretKey sets the root secret from STOREFRONT_SECRET_KEY or STOREFRONT_SECRET_KEY_FILE.
func (s *session) secretKey(st *app.Storage) error {
	st.SecretKey = s.getenv("STOREFRONT_SECRET_KEY")
	path := s.getenv("STOREFRONT_SECRET_KEY_FILE")
	if path == "" {
		return nil
	}
	if st.SecretKey != "" {
		return &usageError{errors.New("STOREFRONT_SECRET_KEY and STOREFRONT_SECRET_KEY_FILE exclude each other")}
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return &usageError{fmt.Errorf("STOREFRONT_SECRET_KEY_FILE: %w", err)}
	}
	if st.SecretKey = strings.TrimSpace(string(content)); st.SecretKey == "" {
		return &usageError{fmt.Errorf("STOREFRONT_SECRET_KEY_FILE: %s is empty", path)}
	}
	return nil
}

type flags struct {
	variables environment
	names     map[*kong.Flag]string
}

func newFlags(variables environment) *flags { return &flags{variables, map[*kong.Flag]string{}} }

// adopt takes over the variables of the flags from the parser, which would read the process's.
func (f *flags) adopt(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && len(flag.Envs) > 0 {
			f.names[flag] = flag.Envs[0]
			flag.Help += " ($" + flag.Envs[0] + ")"
			flag.Envs, flag.Tag.Envs = nil, nil
		}
		return next(nil)
	})
}

func (f *flags) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: it returns the value of a flag that is not among the arguments.
func (f *flags) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if value := f.variables[f.names[flag]]; value != "" {
		return value, nil
	}
	return nil, nil
}
