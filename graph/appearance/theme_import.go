package appearance

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/install"
	"github.com/storefront-go/storefront/graph/model"
	"github.com/storefront-go/storefront/graph/theme"
)

// MaxArchive is the largest archive in bytes.
const MaxArchive = 10 << 20

// ThemeImport adds a theme from a zip archive. The archive is judged here and now,
// before anything is written, so a bad one leaves nothing behind; what it holds
// is unpacked by a later round, and the theme is ready after it.
func (m Mutation) ThemeImport(ctx context.Context, in model.ThemeImportInput) (*model.ThemePayload, error) {
	c := core.NewCheck(ctx)
	core.Opt(in.Name, func(s string) { c.Line("name", s, limit.Line) })
	archive := checkArchive(c, "archive", in.Archive)
	if err := c.Err(); err != nil {
		return nil, err
	}
	p, err := m.verdict(ctx, in.Archive, archive)
	if problems, ok := errors.AsType[*theme.Problems](err); ok {
		return nil, problemsOf("archive", problems)
	}
	if err != nil {
		return nil, fmt.Errorf("judge theme: %w", err)
	}
	a := install.Addition{Name: p.Manifest.Name, Source: state.ThemeUploaded, Package: p, Sum: digest.Of(p.Encode())}
	core.Opt(in.Name, func(s string) { a.Name = s })
	return m.addTheme(ctx, "theme.import", func(ctx context.Context, _ *db.Store) (*db.Theme, error) {
		return m.Themes.Accept(ctx, a, archive)
	})
}

// verdict is what came of judging an archive.
type verdict struct {
	text string // its base64
	pkg  *theme.Package
	err  error
}

type verdictKey struct{}

// Judged judges an archive, given in base64, for the import that follows with the
// context that it returns. Who judges before he begins a transaction, as for an
// idempotency key, keeps nobody waiting for it meanwhile.
func (r *Resolver) Judged(ctx context.Context, text string) context.Context {
	c := &core.Check{}
	archive := checkArchive(c, "archive", text)
	if c.Err() != nil {
		return ctx
	}
	p, err := r.Themes.Judge(ctx, archive)
	return context.WithValue(ctx, verdictKey{}, verdict{text, p, err})
}

// verdict judges an archive, unless that was done before.
func (r *Resolver) verdict(ctx context.Context, text string, archive []byte) (*theme.Package, error) {
	if v, ok := ctx.Value(verdictKey{}).(verdict); ok && v.text == text {
		return v.pkg, v.err
	}
	return r.Themes.Judge(ctx, archive)
}

// archive reads the base64 of an archive (RFC 4648, section 4): the standard
// alphabet with padding, and nothing between.
func checkArchive(c *core.Check, name, text string) []byte {
	const tooLong = "The archive has more than 10 MiB."
	if len(text) > base64.StdEncoding.EncodedLen(MaxArchive) {
		c.Add(name, fault.TooLong, tooLong)
		return nil
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	switch {
	case err != nil || strings.ContainsAny(text, "\r\n"): // the library skips these
		c.Add(name, fault.InvalidFormat, "The archive is not base64 in the standard alphabet, with padding.")
	case len(b) > MaxArchive:
		c.Add(name, fault.TooLong, tooLong)
	case len(b) == 0:
		c.Add(name, fault.TooShort, "The archive is empty.")
	}
	return b
}

// problemsOf shows all that is wrong with an archive, each as an error of its
// member.
func problemsOf(name string, problems *theme.Problems) error {
	fields := make([]fault.Field, 0, len(problems.List))
	for _, p := range problems.List {
		fields = append(fields, fault.Field{Pointer: "#/" + name, Code: fault.InvalidFormat, Detail: p.String()})
	}
	return fault.Invalid(fields...)
}
