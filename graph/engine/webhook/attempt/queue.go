package attempt

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/graph/lib/egress"
)

// A queue is a stream of a NATS server (JetStream). An attempt publishes a message with the headers of
// a request and waits until the stream has stored it. The address is tls://host:port/subject, and
// messages go to subject.type; nats:// is without TLS, for a server on this machine. The field
// Authorization of an endpoint holds the credentials. See
// https://docs.nats.io/reference/reference-protocols/nats-protocol.

const (
	natsPort = "4222"
	// maxLine bounds a line from the server; its first one lists the other servers of its cluster.
	maxLine = 32 << 10
)

// subjects are the subjects that an address may name: words separated by dots.
var subjects = regexp.MustCompile(`^/[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// IsQueue reports whether an address is that of a queue.
func IsQueue(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	scheme = strings.ToLower(scheme)
	return scheme == "tls" || scheme == "nats"
}

// CheckURL checks the form of a receiver's address by a policy, and returns what is wrong with it, or
// "".
func CheckURL(p egress.Policy, address string) string {
	if !IsQueue(address) {
		_, wrong := p.CheckURL(address)
		return wrong
	}
	scheme, rest, _ := strings.Cut(address, ":")
	// The rules about hosts are the same, and nats is allowed where http is.
	u, wrong := p.CheckURL(map[string]string{"tls": "https:", "nats": "http:"}[strings.ToLower(scheme)] + rest)
	switch {
	case wrong != "":
		return wrong
	case !subjects.MatchString(u.Path) || u.RawQuery != "" || u.ForceQuery || u.RawPath != "":
		return "The address of a queue ends with a subject: tls://host:4222/shop.events."
	}
	return ""
}

// toQueue makes the address of a queue the target.
func (t *Target) toQueue(u *url.URL) {
	port := u.Port()
	if port == "" {
		port = natsPort
	}
	t.subject = strings.TrimPrefix(u.Path, "/")
	t.place = place{secure: u.Scheme == "tls", host: u.Hostname(), addr: net.JoinHostPort(u.Hostname(), port)}
}

// publish makes an attempt at a queue. The stream drops a message that it has stored already, by the
// id of the delivery.
func (c *Client) publish(ctx context.Context, r *Request, began time.Time) Result {
	result := Result{Began: began}
	q, err := c.openQueue(ctx, r.Target.place)
	if err == nil {
		release := context.AfterFunc(ctx, func() { _ = q.SetDeadline(past) })
		result.Response, result.Sent, err = q.exchange(r, began)
		release()
		_ = q.Close()
		c.pool.closed()
		result.Request = r.kept
	}
	result.Duration = time.Since(began)
	var refused *refusedError
	switch {
	case err == nil:
		result.Outcome = Delivered
	case errors.As(err, &refused) && ctx.Err() == nil:
		result.Outcome, result.Detail = refused.outcome, refused.detail
	default:
		result.Outcome, result.Detail = explain(ctx, err, false)
	}
	return result
}

// refusedError is an answer of a queue that did not store the message.
type refusedError struct {
	outcome Outcome
	detail  string
}

func (e *refusedError) Error() string { return "queue: " + e.detail }

// queue is a connection to a NATS server that has introduced itself.
type queue struct {
	net.Conn
	in *bufio.Reader
}

// openQueue connects to a server, with TLS once it has introduced itself. Nothing is sent before.
func (c *Client) openQueue(ctx context.Context, at place) (*queue, error) {
	c.pool.room()
	conn, err := c.dial(ctx, place{host: at.host, addr: at.addr}, at.secure)
	if err != nil {
		c.pool.closed()
		return nil, err
	}
	q := &queue{Conn: conn, in: bufio.NewReaderSize(conn, maxLine)}
	if err = q.SetDeadline(time.Now().Add(answerTime)); err == nil {
		err = q.introduce(ctx, at, c.tls)
	}
	if err != nil {
		_ = q.Conn.Close() // nothing was sent
		c.pool.closed()
		return nil, err
	}
	return q, nil
}

func (q *queue) introduce(ctx context.Context, at place, config *tls.Config) error {
	line, err := q.line()
	if err != nil {
		return err
	}
	text, ok := bytes.CutPrefix(line, []byte("INFO "))
	var info struct {
		Headers   bool `json:"headers"`
		JetStream bool `json:"jetstream"`
		Required  bool `json:"tls_required"`
		Available bool `json:"tls_available"`
	}
	switch {
	case !ok || json.Unmarshal(text, &info) != nil:
		return &refusedError{MalformedAnswer, "this is not a NATS server"}
	case !info.Headers:
		return &refusedError{ServerError, "the server does not support headers"}
	case at.secure && !info.Required && !info.Available:
		return &refusedError{TLSFailed, "the server does not offer TLS"}
	case !at.secure && info.Required:
		return &refusedError{TLSFailed, "the server requires TLS"}
	case !at.secure:
		return nil
	case q.in.Buffered() > 0: // would be read as if it were encrypted
		return &refusedError{MalformedAnswer, "the server sent more than its introduction"}
	}
	own := config.Clone()
	own.ServerName, own.NextProtos = at.host, nil
	secured := tls.Client(q.Conn, own)
	if err := secured.HandshakeContext(ctx); err != nil {
		return &connectError{handshake: true, err: err}
	}
	q.Conn, q.in = secured, bufio.NewReaderSize(secured, maxLine)
	return nil
}

// line reads a line without its end.
func (q *queue) line() ([]byte, error) {
	line, err := q.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, &refusedError{MalformedAnswer, "a line of the answer is over 32 KiB"}
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// exchange publishes a message and returns the answer, cut to 4 KiB. sent says that the server may have
// the message.
func (q *queue) exchange(r *Request, began time.Time) (answer []byte, sent bool, err error) {
	inbox := "_INBOX." + rand.Text()
	message, err := r.message(inbox, began)
	if err != nil {
		return nil, false, err
	}
	if _, err := q.Write(message); err != nil {
		return nil, true, err
	}
	for {
		line, err := q.line()
		if err != nil {
			return nil, true, err
		}
		words := bytes.Fields(line)
		switch {
		case len(words) == 0:
		case string(words[0]) == "PING":
			_, err = io.WriteString(q, "PONG\r\n")
		case string(words[0]) == "-ERR":
			return clip(line), true, rejection(line)
		case len(words) >= 4 && (string(words[0]) == "MSG" || string(words[0]) == "HMSG"):
			answer, err := q.payload(words)
			if err != nil {
				return nil, true, err
			}
			return clip(answer), true, acknowledged(answer)
		}
		if err != nil {
			return nil, true, err
		}
	}
}

// payload reads the message whose line has these words: its last word is its size.
func (q *queue) payload(words [][]byte) ([]byte, error) {
	size, err := strconv.Atoi(string(words[len(words)-1]))
	if err != nil || size < 0 || size > maxRead {
		return nil, &refusedError{MalformedAnswer, "the answer is over 64 KiB"}
	}
	answer := make([]byte, size)
	_, err = io.ReadFull(q.in, answer)
	return answer, err
}

func clip(b []byte) []byte { return bytes.Clone(b[:min(len(b), maxKept)]) }

// rejection explains a line -ERR.
func rejection(line []byte) error {
	text := strings.ToLower(string(line))
	switch {
	case strings.Contains(text, "authorization") || strings.Contains(text, "authentication"):
		return &refusedError{ClientError, "the server refused the credentials"}
	case strings.Contains(text, "permissions violation"):
		return &refusedError{ClientError, "the credentials may not publish to the subject"}
	case strings.Contains(text, "maximum payload"):
		return &refusedError{ClientError, "the message is larger than the server allows"}
	}
	return &refusedError{ServerError, "the server refused the message"}
}

// acknowledged reports whether a stream has stored the message, by its answer.
func acknowledged(answer []byte) error {
	if bytes.HasPrefix(answer, []byte("NATS/1.0 503")) {
		return &refusedError{ClientError, "no stream of the server stores the subject"}
	}
	var ack struct {
		Stream string `json:"stream"`
		Error  *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(answer, &ack); {
	case err != nil || ack.Error == nil && ack.Stream == "":
		return &refusedError{MalformedAnswer, "the answer is not that of a stream"}
	case ack.Error == nil:
		return nil
	case ack.Error.Code/100 == 4:
		return &refusedError{ClientError, fmt.Sprintf("the stream refused the message with %d", ack.Error.Code)}
	}
	return &refusedError{ServerError, "the stream could not store the message"}
}

// login is the line CONNECT of a client, in the names of the protocol.
type login struct {
	Verbose  bool   `json:"verbose"`
	Pedantic bool   `json:"pedantic"`
	Headers  bool   `json:"headers"`
	NoOne    bool   `json:"no_responders"`
	Name     string `json:"name"`
	Lang     string `json:"lang"`
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
	User     string `json:"user,omitempty"`
	Password string `json:"pass,omitempty"`
	Token    string `json:"auth_token,omitempty"`
}

// message returns everything that an attempt sends, and sets r.kept.
func (r *Request) message(inbox string, began time.Time) ([]byte, error) {
	l := login{Headers: true, NoOne: true, Name: "storefront", Lang: "go", Version: "1"}
	for _, f := range r.Header {
		if strings.EqualFold(f[0], "authorization") {
			if err := l.use(f[1]); err != nil {
				return nil, err
			}
		}
	}
	text, err := json.Marshal(l) //nolint:gosec // the server that it is for gets the password
	if err != nil {
		return nil, fmt.Errorf("write the login: %w", err)
	}
	head := r.Target.appendFields([]byte("NATS/1.0\r\n"), r, began)
	b := slices.Concat([]byte("CONNECT "), text, []byte("\r\nSUB "+inbox+" 1\r\nHPUB "+r.Target.subject+"."+r.EventType+
		" "+inbox+" "+strconv.Itoa(len(head))+" "+strconv.Itoa(len(head)+len(r.Body))+"\r\n"), head, r.Body)
	return append(b, "\r\n"...), nil
}

// use sets the credentials of a field Authorization: Basic for a user and password, Bearer for a token.
func (l *login) use(value string) error {
	scheme, rest, _ := strings.Cut(value, " ")
	switch {
	case strings.EqualFold(scheme, "bearer"):
		l.Token = rest
		return nil
	case strings.EqualFold(scheme, "basic"):
		text, err := base64.StdEncoding.DecodeString(rest)
		var ok bool
		if l.User, l.Password, ok = strings.Cut(string(text), ":"); err == nil && ok {
			return nil
		}
	}
	return &refusedError{ClientError, "the header Authorization is neither Basic nor Bearer"}
}
