package appearance

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/install"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/model"
)

// MaxArchive is the largest archive in bytes.
const MaxArchive = 10 << 20

// ThemeImport adds a theme from a ZIP archive. It validates the archive before it writes anything.
// A later round unpacks the archive, after which the theme is ready.
func (m Mutation) ThemeImport(ctx context.Context, in model.ThemeImportInput) (*model.ThemePayload, error) {
	c := &core.Check{}
	core.Opt(in.Name, func(s string) { c.Line("name", s, limit.Line) })
	judged := in.Judged
	if judged == nil {
		judged = m.validate(ctx, c, in.Archive)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if problems, ok := errors.AsType[*theme.Problems](judged.Err); ok {
		return nil, problemsOf("archive", problems)
	}
	if judged.Err != nil {
		return nil, fmt.Errorf("validate theme: %w", judged.Err)
	}
	p := judged.Package
	a := install.Addition{Name: p.Manifest.Name, Source: state.ThemeUploaded, Package: p, Sum: digest.Of(p.Encode())}
	core.Opt(in.Name, func(s string) { a.Name = s })
	added, err := m.addTheme(ctx, "theme.import", judged.Archive, func(context.Context) (install.Addition, error) {
		return a, nil
	})
	if added != nil {
		added.IgnoredFiles = p.Ignored
	}
	return added, err
}

// ValidateArchive validates a base64 archive for the input of an import. Callers use it before a
// transaction, such as that of an idempotency key, which should not last as long. It returns nil if
// the archive is malformed; the import then reports it.
func (r *Resolver) ValidateArchive(ctx context.Context, text string) *theme.Judged {
	return r.validate(ctx, &core.Check{}, text)
}

// validate validates a well-formed archive.
func (r *Resolver) validate(ctx context.Context, c *core.Check, text string) *theme.Judged {
	archive := checkArchive(c, "archive", text)
	if c.Err() != nil {
		return nil
	}
	p, err := r.Themes.Read(ctx, archive)
	return &theme.Judged{Archive: archive, Package: p, Err: err}
}

// checkArchive decodes the base64 of an archive (RFC 4648, section 4): the standard alphabet with
// padding and without line breaks.
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

// problemsOf returns all problems of an archive as faults of the member.
func problemsOf(name string, problems *theme.Problems) error {
	fields := make([]fault.Field, 0, len(problems.List))
	for _, p := range problems.List {
		fields = append(fields, fault.Field{Pointer: "#/" + name, Code: fault.InvalidFormat, Detail: p.String()})
	}
	return fault.Invalid(fields...)
}
