package transport

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/idem"
	"github.com/storefront-go/storefront/graph/status"
)

// secretive are the mutations that show or take a secret, of which only a hash is
// ever stored: neither what they answer nor a digest of what they are sent is kept.
var secretive = []string{"apiKeyCreate", "apiKeyRotate", "staffTokenCreate", "staffAdd", "passwordChange"}

// outward are the mutations that wait for somebody outside, which no transaction
// may do.
var outward = []string{"webhookEndpointTest"}

// errUnkept lets go of an idempotency key, and of all that was written with it.
var errUnkept = errors.New("the answer is not kept")

// once runs a mutation with an idempotency key (contract, section 3).
func (h *handler) once(ctx context.Context, out *response, o *operation, key string) {
	if err := keepable(o); err != nil {
		h.refuse(ctx, out, err)
		return
	}
	var done outcome
	var r *run
	claim := idem.Claim{Key: key, Fingerprint: o.body.Fingerprint(http.MethodPost, "/graphql")}
	h.judge(ctx, o)
	a, replayed, err := h.Idem.Run(ctx, claim, func(ctx context.Context) (idem.Answer, error) {
		done, r = h.execute(ctx, o)
		return h.kept(out, o, done, r)
	})
	switch {
	case err == nil:
		if replayed {
			out.w.Header().Set("Idempotent-Replayed", "true")
		}
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
	case !r.changed && (r.refused == nil || !status.Lasting(r.refused)):
		return idem.Answer{}, errUnkept
	}
	return idem.Answer{Status: http.StatusOK, ContentType: out.contentType(),
		Body: appendOutcome(nil, done, o), Refused: r.refused != nil}, nil
}

// keepable refuses what a key cannot stand for.
func keepable(o *operation) error {
	fields := mutationFields(o)
	switch {
	case len(fields) != 1:
		return fault.New(fault.InvalidRequest, "With an Idempotency-Key, send exactly one mutation field.")
	case slices.Contains(secretive, fields[0].Name):
		return fault.New(fault.IdempotencyNotSupported, "This is about a secret that is not stored, so the answer cannot be repeated: leave the Idempotency-Key out.")
	case slices.Contains(outward, fields[0].Name):
		return fault.New(fault.IdempotencyNotSupported, "This sends a request of its own each time: leave the Idempotency-Key out.")
	}
	return nil
}

// mutationFields are the mutations that an operation runs.
func mutationFields(o *operation) []graphql.CollectedField {
	opCtx := &graphql.OperationContext{Doc: o.doc, Variables: o.variables}
	fields := graphql.CollectFields(opCtx, o.op.SelectionSet, []string{"Mutation"})
	return slices.DeleteFunc(fields, func(f graphql.CollectedField) bool { return f.Name == "__typename" })
}
