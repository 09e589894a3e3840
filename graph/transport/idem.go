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

// secretMutations return or take a secret of which only a hash is stored. Neither their answers nor
// a digest of their requests is stored.
var secretMutations = []string{"apiKeyCreate", "apiKeyRotate", "staffTokenCreate", "staffInvite",
	"invitationResend", "passwordChange", "sessionProve", "passkeyAsk", "totpBegin", "totpConfirm", "passkeyBegin",
	"passkeyFinish", "recoveryCodesRenew"}

// headerMutations may take the headers of a webhook endpoint, which are secret. Then no digest of
// the request is stored either.
var headerMutations = []string{"webhookEndpointCreate", "webhookEndpointUpdate"}

// externalMutations wait for an external service, which is not allowed in a transaction.
var externalMutations = []string{"webhookEndpointTest", "paymentAccountSet"}

// separateMutations write rows of the calling person, of another store or without an owner. They
// cannot share a transaction with the key, which belongs to the store.
var separateMutations = []string{"storeCreate", "addressVerify", "addressChange", "signOutEverywhere", "sessionEnd",
	"factorRename", "factorRemove", "marketplaceThemeSubmit", "marketplaceThemeReview", "marketplaceThemePublish",
	"marketplaceThemeUnlist", "emailSenderSet", "orderEmailPreview", "orderEmailResend"}

// decoding lists the mutations that unpack or decode a file, which takes seconds.
var decoding = []string{themeImport, imageAdd}

// hashing lists the mutations that hash passwords, whose concurrency is limited.
var hashing = []string{"passwordChange", "sessionProve"}

// checkBatch refuses an operation that calls an external service along with other fields, or that
// hashes passwords or decodes files more than once: with a thousand aliases, one request would do
// so a thousand times.
func checkBatch(o *operation) error {
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
	case len(fields) > 1 && count(externalMutations) > 0:
		return fault.New(fault.InvalidRequest, "A request that sends a ping or tests a key contains nothing else.")
	case count(decoding) > 1:
		return fault.New(fault.InvalidRequest, "A request can contain only one file.")
	case count(hashing) > 1:
		return fault.New(fault.InvalidRequest, "A request can contain only one password.")
	}
	return nil
}

// errNotStored releases an idempotency key and rolls back the writes made with it.
var errNotStored = errors.New("the answer is not stored")

// once runs a mutation with an idempotency key (contract, section 3). A caller who may no longer
// run the mutation, or no longer read all of its answer, does not get the stored answer.
func (h *handler) once(ctx context.Context, out *response, o *operation, key string) {
	field, err := storable(o)
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
		CommitFirst: slices.Contains(separateMutations, field.Name)}
	h.validateUpload(ctx, o)
	a, replayed, err := h.Idem.Run(ctx, claim, func(ctx context.Context) (idem.Answer, error) {
		done, r = h.execute(ctx, o)
		return h.stored(out, o, done, r)
	})
	switch {
	case err == nil && replayed:
		err := admitted(ctx, field.Selections)
		if err == nil && !a.Refused {
			err = h.checkScopes(ctx, o, field)
		}
		if err != nil {
			h.refuse(ctx, out, err)
			return
		}
		out.w.Header().Set("Idempotent-Replayed", "true")
		out.send(a.Status, a.ContentType, a.Body)
	case err == nil:
		out.send(a.Status, a.ContentType, a.Body)
	case r != nil && (errors.Is(err, errNotStored) || len(r.failures) > 0):
		h.log(ctx, r)
		out.outcome(done, o)
	default:
		h.refuse(ctx, out, err)
	}
}

// stored returns the answer to store. Successes and lasting refusals are stored; other results
// leave the key free.
func (h *handler) stored(out *response, o *operation, done outcome, r *run) (idem.Answer, error) {
	switch {
	case r.cause() != nil:
		return idem.Answer{}, r.cause() // the keeper may retry it
	case !r.changed && (r.refused == nil || !wire.Lasting(r.refused)):
		return idem.Answer{}, errNotStored
	}
	return idem.Answer{Status: http.StatusOK, ContentType: out.contentType(),
		Body: appendOutcome(nil, done, o), Refused: r.refused != nil}, nil
}

// admitted returns the first refusal among the fields of a selection, at any depth.
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

// checkScopes refuses the stored answer of a mutation about events or an export that the caller may
// not read: a token that was refreshed with fewer scopes shares its keys with its predecessors. The
// arguments name the events, the export kind or the subscribed webhook endpoint.
func (h *handler) checkScopes(ctx context.Context, o *operation, field graphql.CollectedField) error {
	arguments := field.ArgumentMap(o.variables)
	input, _ := arguments["input"].(map[string]any)
	kind, _ := input["kind"].(string)
	names, _ := input["events"].([]any)
	if one, ok := input["events"].(string); ok { // a list of one item may be written without brackets
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
			return nil // the endpoint is deleted, with its subscriptions
		}
		if err != nil {
			return err
		}
		for _, name := range endpoint.Events() {
			events = append(events, event.Type(name))
		}
	}
	return core.RequireReadScope(ctx, state.ExportKind(strings.ToLower(kind)), events...)
}

// storable returns the single mutation of a request with a key, and refuses operations whose
// answers cannot be stored.
func storable(o *operation) (graphql.CollectedField, error) {
	fields := mutationFields(o)
	var none graphql.CollectedField
	switch {
	case len(fields) != 1:
		return none, fault.New(fault.InvalidRequest, "With an Idempotency-Key, send exactly one mutation field.")
	case slices.Contains(secretMutations, fields[0].Name),
		slices.Contains(headerMutations, fields[0].Name) && headers(o, fields[0]):
		return none, fault.New(fault.IdempotencyNotSupported, "The response contains a secret that is not stored, "+
			"so it cannot be repeated. Leave out the Idempotency-Key.")
	case slices.Contains(externalMutations, fields[0].Name):
		return none, fault.New(fault.IdempotencyNotSupported,
			"This sends a new request each time. Leave out the Idempotency-Key.")
	}
	return fields[0], nil
}

func headers(o *operation, field graphql.CollectedField) bool {
	input, _ := field.ArgumentMap(o.variables)["input"].(map[string]any)
	return input["headers"] != nil
}

func mutationFields(o *operation) []graphql.CollectedField {
	opCtx := &graphql.OperationContext{Doc: o.doc, Variables: o.variables}
	fields := graphql.CollectFields(opCtx, o.op.SelectionSet, []string{"Mutation"})
	return slices.DeleteFunc(fields, func(f graphql.CollectedField) bool { return f.Name == "__typename" })
}
