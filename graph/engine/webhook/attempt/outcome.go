package attempt

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"

	"github.com/storefront-go/storefront/graph/lib/egress"
)

// Outcome is how an attempt ended: delivered, or why not.
type Outcome string

// The outcomes. [Cancelled] and [Unable] are on the sender's side: the receiver got no request or
// no time to answer, and has not failed.
const (
	Delivered        Outcome = "delivered"         // a status from 200 to 299
	Redirect         Outcome = "redirect"          // 300 to 399: never followed
	ClientError      Outcome = "client_error"      // 400 to 499
	ServerError      Outcome = "server_error"      // 500 to 599
	UnexpectedStatus Outcome = "unexpected_status" // any other status
	Timeout          Outcome = "timeout"           // connected, but the headers did not end in time
	ConnectTimeout   Outcome = "connect_timeout"   // lookup, connect and TLS took too long
	ConnectFailed    Outcome = "connect_failed"    // refused, no route
	DNSFailed        Outcome = "dns_failed"        // the name has no address
	TLSFailed        Outcome = "tls_failed"        // certificate or handshake
	AddressRefused   Outcome = "address_refused"   // by the policy of graph/lib/egress
	Reset            Outcome = "reset"             // the connection ended before the answer's headers did
	MalformedAnswer  Outcome = "malformed_answer"  // not HTTP, cut within a line, or headers over 32 KiB
	Cancelled        Outcome = "cancelled"         // the caller's context ended
	Unable           Outcome = "sender_unable"     // this machine could not begin it; see [egress.Trouble]
)

// Outcomes returns all outcomes in the order above.
func Outcomes() []Outcome {
	return []Outcome{
		Delivered, Redirect, ClientError, ServerError, UnexpectedStatus, Timeout, ConnectTimeout,
		ConnectFailed, DNSFailed, TLSFailed, AddressRefused, Reset, MalformedAnswer, Cancelled,
		Unable,
	}
}

// outcomeOf returns the outcome of an answer's status, with a detail where the status does not say
// everything.
func outcomeOf(status int) (o Outcome, detail string) {
	switch status / 100 {
	case 2:
		return Delivered, ""
	case 3:
		return Redirect, "redirects are not followed"
	case 4:
		return ClientError, ""
	case 5:
		return ServerError, ""
	}
	if status == http.StatusSwitchingProtocols {
		detail = "the receiver wants another protocol"
	}
	return UnexpectedStatus, detail
}

type connectError struct {
	handshake bool // TCP was connected
	late      bool // the time for connecting was over
	err       error
}

func (e *connectError) Error() string { return "connect: " + e.err.Error() }

func (e *connectError) Unwrap() error { return e.err }

// explain returns the outcome of a failure to connect, with a detail that may be shown.
func (e *connectError) explain() (Outcome, string) {
	if refused, ok := errors.AsType[*egress.RefusedError](e.err); ok {
		return AddressRefused, refused.Rule
	}
	if trouble := egress.TroubleOf(e.err); trouble != "" {
		return Unable, string(trouble)
	}
	timeout, ok := errors.AsType[net.Error](e.err)
	late := e.late || ok && timeout.Timeout()
	lookup, unresolved := errors.AsType[*net.DNSError](e.err)
	switch {
	case late && e.handshake:
		return ConnectTimeout, "the TLS handshake took too long"
	case late && unresolved:
		return ConnectTimeout, "looking the name up took too long"
	case late:
		return ConnectTimeout, "connecting took too long"
	case unresolved && lookup.IsNotFound:
		return DNSFailed, "the name has no address"
	case unresolved:
		return DNSFailed, "the name could not be looked up"
	case e.handshake:
		return TLSFailed, explainTLS(e.err)
	case errors.Is(e.err, syscall.ECONNREFUSED):
		return ConnectFailed, "the connection was refused"
	case errors.Is(e.err, syscall.EHOSTUNREACH), errors.Is(e.err, syscall.ENETUNREACH):
		return ConnectFailed, "the address cannot be reached"
	}
	return ConnectFailed, "the connection could not be made"
}

// explainTLS describes the problem in fixed words: the texts of crypto/x509 quote names from the
// certificate.
func explainTLS(err error) string {
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is for another name"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate is signed by an unknown authority"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return "the certificate has expired or is not valid yet"
		}
		return "the certificate is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the receiver does not speak TLS"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" { // a TLS alert
		return "the receiver refused the TLS handshake"
	}
	if closedByPeer(err) {
		return "the connection ended during the TLS handshake"
	}
	return "the TLS handshake failed"
}

// closedByPeer reports whether the other side ended the connection.
func closedByPeer(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// explain returns the outcome of an attempt without an answer, with a detail. begun says that a byte
// of one has arrived.
func explain(ctx context.Context, err error, begun bool) (Outcome, string) {
	if ctx.Err() != nil {
		return Cancelled, ""
	}
	if connect, ok := errors.AsType[*connectError](err); ok {
		return connect.explain()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Timeout, "no answer in time"
	}
	if !begun {
		return Reset, "the connection ended before an answer"
	}
	if closedByPeer(err) {
		return Reset, "the connection ended within the answer's headers"
	}
	return MalformedAnswer, "the answer is not whole HTTP, or its headers are over 32 KiB"
}
