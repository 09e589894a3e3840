package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/storefront-go/storefront/graph/lib/theme"
	webshop "github.com/storefront-go/storefront/rest/shop"
)

type themeCmd struct {
	Check   themeCheckCmd   `cmd:"" help:"List the problems of a theme."`
	Preview themePreviewCmd `cmd:"" help:"Show a theme with sample data until a signal arrives."`
}

type themeCheckCmd struct {
	Folder string `arg:"" help:"A folder or a zip archive."`
	output
}

type checked struct {
	Name      string         `json:"name"`
	Version   *string        `json:"version"`
	Templates int            `json:"templates"`
	Assets    int            `json:"assets"`
	SizeBytes int64          `json:"size_bytes"`
	Ignored   []string       `json:"ignored"` // files that are not part of the theme, such as README.md
	Problems  []themeProblem `json:"problems"`
}

type themeProblem struct {
	Path   *string `json:"path"` // null for the theme as a whole
	Detail string  `json:"detail"`
}

func (c *themeCheckCmd) Run(s *session) error {
	pack, err := readTheme(c.Folder)
	found, wrong := errors.AsType[*theme.Problems](err)
	if err != nil && !wrong {
		return err
	}
	if wrong {
		if err := c.refuse(s, found); err != nil {
			return err
		}
		return errSilent
	}
	m, ignored := pack.Manifest, append([]string{}, pack.Ignored...)
	return c.print(s, checked{m.Name, m.Version, len(pack.Templates), len(pack.Assets), pack.Size(), ignored,
		[]themeProblem{}},
		table{{"NAME", "VERSION", "TEMPLATES", "ASSETS", "BYTES", "IGNORED FILES"},
			{printable(m.Name), printable(shown(m.Version)), fmt.Sprint(len(pack.Templates)),
				fmt.Sprint(len(pack.Assets)), fmt.Sprint(pack.Size()), cmp.Or(strings.Join(ignored, ", "), "-")}})
}

func (c *themeCheckCmd) refuse(s *session, found *theme.Problems) error {
	list, rows := checked{Ignored: []string{}, Problems: []themeProblem{}}, table(nil)
	for _, p := range found.List {
		one := themeProblem{Detail: p.Detail}
		if p.Path != "" {
			one.Path = &p.Path
		}
		list.Problems = append(list.Problems, one)
		rows = append(rows, []string{p.String()})
	}
	return c.print(s, list, rows)
}

// readTheme reads a folder or an archive. The error of a wrong theme is a [*theme.Problems].
func readTheme(path string) (*theme.Package, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		archive, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return theme.Read(archive)
	}
	return theme.ReadFS(os.DirFS(path))
}

type themePreviewCmd struct {
	Folder string `arg:"" help:"The folder of the theme."`
	Addr   string `placeholder:"ADDR" default:"127.0.0.1:8090" help:"Address to listen on (default: ${default})."`
}

func (c *themePreviewCmd) Run(s *session) error {
	if info, err := os.Stat(c.Folder); err != nil {
		return err
	} else if !info.IsDir() {
		return &usageError{fmt.Errorf("%s is not a folder", c.Folder)}
	}
	listener, err := (&net.ListenConfig{}).Listen(s.ctx, "tcp", c.Addr)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.out, "The theme is shown at http://%s/\n", listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serveUntil(s.ctx, listener, webshop.Draft(os.DirFS(c.Folder)))
}
