package blob

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"gocloud.dev/gcerrors"
)

// Error is a failure of the store. Its text has the operation and the kind of failure, such as
// "blob: write: no space left on device". Keys, paths and addresses are only in its causes.
type Error struct {
	op, reason string
	cause      error
}

func (e *Error) Error() string { return "blob: " + e.op + ": " + e.reason }

// Unwrap returns the cause. Do not show its text.
func (e *Error) Unwrap() error { return e.cause }

// fault redacts an error; nil stays nil.
func fault(op string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{op, reason(err), err}
}

// readFault redacts an error of reading. A missing object becomes [ErrNotFound].
func readFault(err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound && apiCode(err) != "NoSuchBucket" || absent(err) {
		return ErrNotFound
	}
	return fault("read", err)
}

// coded is an error from an S3 server.
type coded interface {
	error
	ErrorCode() string
}

func apiCode(err error) string {
	e, ok := errors.AsType[coded](err)
	if !ok {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r < '0' || r > 'z' || r > '9' && r < 'A' || r > 'Z' && r < 'a' {
			return -1 // the text comes from outside
		}
		return r
	}, e.ErrorCode()[:min(len(e.ErrorCode()), 64)])
}

// reason describes the kind of an error in fixed words.
func reason(err error) string {
	if code := apiCode(err); code != "" {
		return "the store answered " + code
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "the name of the store's host is not known"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate of the store is not trusted"
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return "the store did not answer in time"
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded, io.ErrUnexpectedEOF} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	if code := gcerrors.Code(err); code != gcerrors.Unknown {
		return fmt.Sprint(code)
	}
	return "failed"
}
