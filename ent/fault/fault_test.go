package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/ent/fault"
)

func TestConstructors(t *testing.T) {
	for _, tc := range []struct {
		name      string
		got, want *fault.Error
		code      string
	}{
		{
			name: "New", got: fault.New(fault.Forbidden, "Not for you."),
			want: &fault.Error{Kind: fault.Forbidden, Detail: "Not for you."}, code: "forbidden",
		},
		{
			name: "Newf", got: fault.Newf(fault.InvalidParameter, "%s is not a limit.", "x"),
			want: &fault.Error{Kind: fault.InvalidParameter, Detail: "x is not a limit."}, code: "invalid_parameter",
		},
		{
			name: "State", got: fault.State(fault.OutOfStock, "None is left."),
			want: &fault.Error{Kind: fault.Conflict, Code: fault.OutOfStock, Detail: "None is left."},
			code: "out_of_stock",
		},
		{
			name: "Missing", got: fault.Missing("order"),
			want: &fault.Error{Kind: fault.NotFound, Detail: "There is no such order."}, code: "not_found",
		},
		{
			name: "Invalid", got: fault.Invalid(fault.Field{Pointer: "#/title", Code: fault.Required}),
			want: &fault.Error{
				Kind: fault.ValidationFailed, Detail: "The request has invalid members.",
				Fields: []fault.Field{{Pointer: "#/title", Code: fault.Required}},
			}, code: "validation_failed",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, tc.got); d != "" {
				t.Errorf("fault (-want +got):\n%s", d)
			}
			if got := tc.got.Name(); got != tc.code {
				t.Errorf("Name() = %q, want %q", got, tc.code)
			}
		})
	}
}

// An unknown id and another store's id must look the same.
func TestMissingDoesNotDependOnID(t *testing.T) {
	if d := cmp.Diff(fault.Missing("order"), fault.Missing("order")); d != "" {
		t.Errorf("two answers differ:\n%s", d)
	}
}

func TestFaultIsFoundThroughWrapping(t *testing.T) {
	f := fault.State(fault.LastOwner, "A store keeps one owner.")
	got, ok := errors.AsType[*fault.Error](fault.Wrap("remove staff", f))
	if !ok || got != f || fault.Wrap("remove staff", nil) != nil {
		t.Errorf("AsType = %v, %v", got, ok)
	}
	if _, ok := errors.AsType[*fault.Error](fs.ErrNotExist); ok {
		t.Error("another error counts as a fault")
	}
}

func TestCauseIsLogged(t *testing.T) {
	f := &fault.Error{
		Kind: fault.ValidationFailed, Detail: "Bad.", Err: fmt.Errorf("read: %w", fs.ErrNotExist),
		Fields: []fault.Field{
			{Pointer: "#/a", Code: fault.TooLong},
			{Parameter: "limit", Code: fault.OutOfRange},
			{Header: "Idempotency-Key", Code: fault.InvalidFormat},
		},
	}
	if !errors.Is(f, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
	const want = "validation_failed: Bad. #/a=too_long limit=out_of_range Idempotency-Key=invalid_format: read: file " +
		"does not exist"
	if got := f.Error(); got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if got := fault.New(fault.Internal, "x").Unwrap(); got != nil {
		t.Errorf("Unwrap() = %v, want nil", got)
	}
}

// The codes that clients depend on are those of contract section 2.
func TestCodesMatchContract(t *testing.T) {
	kinds := []fault.Kind{
		fault.NotFound, fault.AuthenticationRequired, fault.InvalidToken, fault.InvalidRequest,
		fault.RateLimited, fault.VersionRetired, fault.InsufficientScope, fault.InvalidParameter,
		fault.IdempotencyKeyRequired, fault.IdempotencyKeyInvalid, fault.PayloadTooLarge,
		fault.IdempotencyKeyReused, fault.IdempotencyInProgress, fault.MalformedBody, fault.ValidationFailed,
		fault.Internal, fault.Unavailable,
	}
	want := []fault.Kind{
		"not_found", "authentication_required", "invalid_token", "invalid_request",
		"rate_limited", "version_retired", "insufficient_scope", "invalid_parameter",
		"idempotency_key_required", "idempotency_key_invalid", "payload_too_large",
		"idempotency_key_reused", "idempotency_in_progress", "malformed_body", "validation_failed",
		"internal_error", "unavailable",
	}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Errorf("kinds (-contract +got):\n%s", d)
	}
	fields := []string{
		fault.Required, fault.InvalidType, fault.InvalidFormat, fault.TooShort, fault.TooLong, fault.OutOfRange,
		fault.UnknownMember, fault.UnknownValue, fault.Taken,
	}
	wantFields := []string{
		"required", "invalid_type", "invalid_format", "too_short", "too_long", "out_of_range",
		"unknown_member", "unknown_value", "taken",
	}
	if d := cmp.Diff(wantFields, fields); d != "" {
		t.Errorf("field codes (-contract +got):\n%s", d)
	}
}
