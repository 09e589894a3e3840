package attempt

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Field is the name and value of a custom header field of an endpoint.
type Field = [2]string

// hidden replaces the values of an endpoint's custom fields.
const hidden = "[hidden]"

// reserved are the fields, in lower case, that the client sets or that change how the request is
// read (RFC 9110, section 7.6.1; RFC 9112, sections 3.2 and 6); reservedPrefixes begin others.
var (
	reserved = []string{
		"accept-encoding", "connection", "cookie", "date", "expect", "host", "idempotency-key", "keep-alive", "te",
		"trailer", "transfer-encoding", "upgrade", "user-agent",
	}
	reservedPrefixes = []string{"x-service-", "webhook-", "content-", "proxy-"}
)

// MayAdd reports whether an endpoint may have a custom header field: it is well formed and not
// reserved.
func MayAdd(name, value string) bool {
	lower := strings.ToLower(name)
	return httpguts.ValidHeaderFieldName(name) && httpguts.ValidHeaderFieldValue(value) &&
		!slices.Contains(reserved, lower) &&
		!slices.ContainsFunc(reservedPrefixes, func(prefix string) bool { return strings.HasPrefix(lower, prefix) })
}

// headOf renders the beginning of every request to a target. Path and host have the form of
// net/http.
func headOf(r *http.Request) (string, error) {
	r.Header = http.Header{"User-Agent": {"Storefront-Webhooks/1"}}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "Content-Length: 0\r\n\r\n") + "Content-Type: application/json\r\n", nil
}

// appendHead appends the head of a request, with the empty line at its end, and sets r.kept to the
// input for [Head].
func (t *Target) appendHead(b []byte, r *Request, began time.Time) []byte {
	return t.appendFields(append(b, t.head...), r, began)
}

// appendFields is [Target.appendHead] without the beginning of the request.
func (t *Target) appendFields(b []byte, r *Request, began time.Time) []byte {
	s := Sent{EventID: r.EventID, EventType: r.EventType, DeliveryID: r.DeliveryID, Number: r.Number, Began: began}
	spec, standard := t.sign(r.EventID, s.timestamp(), r.Body)
	length := strconv.Itoa(len(r.Body))
	r.kept = make([]byte, 0, len(t.address)+len(spec)+len(standard)+64)
	r.kept = append(append(r.kept, t.address...), '\n')
	r.kept = append(append(r.kept, length...), '\n')
	r.kept = append(append(r.kept, spec...), '\n')
	r.kept = append(append(r.kept, standard...), '\n')
	b = s.append(b, length, spec, standard)
	if t.subject != "" {
		b = appendField(b, "Nats-Msg-Id", r.DeliveryID)
	}
	for _, f := range r.Header {
		if t.adds(f) {
			r.kept = append(append(r.kept, f[0]...), ' ')
			b = appendField(b, f[0], f[1])
		}
	}
	return append(b, "\r\n"...)
}

// adds reports whether a request has a custom field. A queue gets the credentials when it is
// connected, and fields of NATS have a meaning.
func (t *Target) adds(f Field) bool {
	lower := strings.ToLower(f[0])
	return MayAdd(f[0], f[1]) && (t.subject == "" || lower != "authorization" && !strings.HasPrefix(lower, "nats-"))
}

// Sent is what a delivery knows about the head of its request.
type Sent struct {
	EventID, EventType, DeliveryID string
	Number                         int
	Began                          time.Time
}

func (s *Sent) timestamp() string { return strconv.FormatInt(s.Began.Unix(), 10) }

func (s *Sent) append(b []byte, length, spec, standard string) []byte {
	timestamp := s.timestamp()
	b = appendField(b, "Content-Length", length)
	b = appendField(b, "X-Service-Attempt", strconv.Itoa(s.Number))
	b = appendField(b, "X-Service-Delivery-Id", s.DeliveryID)
	b = appendField(b, "X-Service-Event", s.EventType)
	b = appendField(b, "X-Service-Timestamp", timestamp)
	b = appendField(b, "X-Service-Signature", spec)
	b = appendField(b, "Webhook-Id", s.EventID)
	b = appendField(b, "Webhook-Timestamp", timestamp)
	return appendField(b, "Webhook-Signature", standard)
}

// Head returns the head of a request as it was sent, from [Result.Request] and its delivery; "" if
// request is empty. The values of custom fields are hidden.
func Head(request []byte, s Sent) string {
	// The address, the length of the body, both signatures, and the names of custom fields.
	lines := strings.Split(string(request), "\n")
	switch len(lines) {
	case 5:
	case 6: // the number it was sent with
		if n, err := strconv.Atoi(lines[5]); err == nil {
			s.Number = n
		}
	default:
		return ""
	}
	head := "PUBLISH " + lines[0] + "." + s.EventType + "\r\n"
	if !IsQueue(lines[0]) {
		r, err := http.NewRequest(http.MethodPost, lines[0], http.NoBody) //nolint:noctx // it is not sent
		if err != nil {
			return ""
		}
		if head, err = headOf(r); err != nil {
			return ""
		}
	}
	b := s.append([]byte(head), lines[1], lines[2], lines[3])
	for name := range strings.FieldsSeq(lines[4]) {
		b = appendField(b, name, hidden)
	}
	return string(append(b, "\r\n"...))
}

// SentAs adds to a [Result.Request] the number that the request was sent with, if the log gives the
// attempt another one.
func SentAs(request []byte, number int) []byte {
	if len(request) == 0 {
		return nil
	}
	return strconv.AppendInt(append(slices.Clip(request), '\n'), int64(number), 10)
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}
