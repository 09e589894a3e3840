package transport

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/idem"
	"github.com/storefront-go/storefront/graph/lib/wire"
)

// secretive are the mutations that show or take a secret, of which only a hash is
// ever stored: neither what they answer nor a digest of what they are sent is kept.
var secretive = []string{"apiKeyCreate", "apiKeyRotate", "staffTokenCreate", "staffInvite",
	"invitationResend", "passwordChange", "sessionProve", "passkeyAsk", "totpBegin", "totpConfirm", "passkeyBegin",
	"passkeyFinish", "recoveryCodesRenew"}

// headed are the mutations whose input may hold the headers of a webhook endpoint,
// which are as secret as what they open: no digest of them is kept either.
var headed = []string{"webhookEndpointCreate", "webhookEndpointUpdate"}

// outward are the mutations that wait for somebody outside, which no transaction
// may do.
var outward = []string{"webhookEndpointTest", "paymentAccountSet"}

// elsewhere are the mutations that write rows of the calling person, of another store or of
// nobody: not in one transaction with the key, which is the store's.
var elsewhere = []string{"storeCreate", "addressVerify", "addressChange", "signOutEverywhere", "sessionEnd",
	"factorRename", "factorRemove", "marketplaceThemeSubmit", "marketplaceThemeReview", "marketplaceThemePublish",
	"marketplaceThemeUnlist"}

// decoding are the mutations that unpack or decode a file, which takes seconds.
var decoding = []string{themeImport, imageAdd}

// hashing are the mutations that hash passwords, which few may do at once.
var hashing = []string{"passwordChange", "sessionProve"}

// crowded refuses an operation that sends to somebody outside beside other things, and
// one that hashes passwords or decodes files more than once: under a thousand aliases, one
// request would do so a thousand times.
func crowded(o *operation) error {
	fields := mutationFields(o)
	count := func(names []string) (n int) {
		for _, f := range fields {
			if slices.Contains(names, f.Name) {
				n++
			}
		}
		return n
	}
	switch {
	case len(fields) > 1 && count(outward) > 0:
		return fault.New(fault.InvalidRequest, "A request sends one ping, or tries one key, and nothing beside it.")
	case count(decoding) > 1:
		return fault.New(fault.InvalidRequest, "A request brings one file.")
	case count(hashing) > 1:
		return fault.New(fault.InvalidRequest, "A request shows one password at most.")
	}
	return nil
}

// errUnkept lets go of an idempotency key, and of all that was written with it.
var errUnkept = errors.New("the answer is not kept")

// once runs a mutation with an idempotency key (contract, section 3). Who may no
// longer run it, or read part of what it answers, does not get the answer of before
// either.
func (h *handler) once(ctx context.Context, out *response, o *operation, key string) {
	field, err := keepable(o)
	if err != nil {
		h.refuse(ctx, out, err)
		return
	}
	if graph.Admit(ctx, field.Definition) != nil {
		h.answer(ctx, out, o) // the field refuses
		return
	}
	var done outcome
	var r *run
	claim := idem.Claim{Key: key, Fingerprint: o.body.Fingerprint(http.MethodPost, "/graphql"),
		Beside: slices.Contains(elsewhere, field.Name)}
	h.judge(ctx, o)
	a, replayed, err := h.Idem.Run(ctx, claim, func(ctx context.Context) (idem.Answer, error) {
		done, r = h.execute(ctx, o)
		return h.kept(out, o, done, r)
	})
	switch {
	case err == nil && replayed:
		err := admitted(ctx, field.Selections)
		if err == nil && !a.Refused {
			err = h.reaches(ctx, o, field)
		}
		if err != nil {
			h.refuse(ctx, out, err)
			return
		}
		out.w.Header().Set("Idempotent-Replayed", "true")
		out.send(a.Status, a.ContentType, a.Body)
	case err == nil:
		out.send(a.Status, a.ContentType, a.Body)
	case r != nil && (errors.Is(err, errUnkept) || len(r.failures) > 0):
		h.log(ctx, r)
		out.outcome(done, o)
	default:
		h.refuse(ctx, out, err)
	}
}

// kept decides what becomes of an answer: successes and lasting refusals are
// stored, anything else leaves the key free.
func (h *handler) kept(out *response, o *operation, done outcome, r *run) (idem.Answer, error) {
	switch {
	case r.cause() != nil:
		return idem.Answer{}, r.cause() // the keeper may know that it is worth another try
	case !r.changed && (r.refused == nil || !wire.Lasting(r.refused)):
		return idem.Answer{}, errUnkept
	}
	return idem.Answer{Status: http.StatusOK, ContentType: out.contentType(),
		Body: appendOutcome(nil, done, o), Refused: r.refused != nil}, nil
}

// admitted returns the first refusal of the fields of a selection, at any depth.
func admitted(ctx context.Context, set ast.SelectionSet) error {
	for _, selection := range set {
		var err error
		switch s := selection.(type) {
		case *ast.Field:
			if err = graph.Admit(ctx, s.Definition); err == nil {
				err = admitted(ctx, s.SelectionSet)
			}
		case *ast.InlineFragment:
			err = admitted(ctx, s.SelectionSet)
		case *ast.FragmentSpread:
			err = admitted(ctx, s.Definition.SelectionSet)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reaches refuses the kept answer of a mutation about events or an export that the caller may not read: a
// token that was refreshed down to fewer scopes shares its keys with the tokens before it. Its arguments name
// them, or the webhook endpoint that subscribes to them.
func (h *handler) reaches(ctx context.Context, o *operation, field graphql.CollectedField) error {
	arguments := field.ArgumentMap(o.variables)
	input, _ := arguments["input"].(map[string]any)
	kind, _ := input["kind"].(string)
	names, _ := input["events"].([]any)
	if one, ok := input["events"].(string); ok { // a list of one may be written without brackets
		names = []any{one}
	}
	var events []event.Type
	for _, name := range names {
		text, _ := name.(string)
		events = append(events, event.Type(text))
	}
	id, _ := arguments["id"].(string)
	if _, err := xid.WebhookEndpoint.Parse(id); err == nil {
		endpoint, err := h.Core.Query().WebhookEndpoint(ctx, id)
		if missing, ok := errors.AsType[*fault.Error](err); ok && missing.Kind == fault.NotFound {
			return nil // it is deleted, and what it subscribed to with it
		}
		if err != nil {
			return err
		}
		for _, name := range endpoint.Events() {
			events = append(events, event.Type(name))
		}
	}
	return core.Reaches(ctx, state.ExportKind(strings.ToLower(kind)), events...)
}

// keepable returns the mutation that a key stands for, and refuses what it cannot
// stand for.
func keepable(o *operation) (graphql.CollectedField, error) {
	fields := mutationFields(o)
	var none graphql.CollectedField
	switch {
	case len(fields) != 1:
		return none, fault.New(fault.InvalidRequest, "With an Idempotency-Key, send exactly one mutation field.")
	case slices.Contains(secretive, fields[0].Name), slices.Contains(headed, fields[0].Name) && headers(o, fields[0]):
		return none, fault.New(fault.IdempotencyNotSupported, "This is about a secret that is not stored, "+
			"so the answer cannot be repeated: leave the Idempotency-Key out.")
	case slices.Contains(outward, fields[0].Name):
		return none, fault.New(fault.IdempotencyNotSupported,
			"This sends a request of its own each time: leave the Idempotency-Key out.")
	}
	return fields[0], nil
}

// headers reports whether the input of a mutation gives headers.
func headers(o *operation, field graphql.CollectedField) bool {
	input, _ := field.ArgumentMap(o.variables)["input"].(map[string]any)
	return input["headers"] != nil
}

// mutationFields are the mutations that an operation runs.
func mutationFields(o *operation) []graphql.CollectedField {
	opCtx := &graphql.OperationContext{Doc: o.doc, Variables: o.variables}
	fields := graphql.CollectFields(opCtx, o.op.SelectionSet, []string{"Mutation"})
	return slices.DeleteFunc(fields, func(f graphql.CollectedField) bool { return f.Name == "__typename" })
}
