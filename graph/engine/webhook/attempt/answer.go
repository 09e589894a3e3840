package attempt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"time"
)

// Bounds of an answer, in bytes.
const (
	maxHeader = 32 << 10
	maxRead   = 64 << 10
	maxKept   = 4 << 10
)

// maxRetryAfter is the longest Retry-After; longer ones are cut to it.
const maxRetryAfter = 30 * 24 * time.Hour

var errLarge = errors.New("the headers of the answer are too large")

type reader struct {
	buf  *bufio.Reader // over the reader itself
	conn *conn
	read bool // the first byte, which the connection holds, was read
	late bool // the deadline passed, perhaps within a line
	left int  // how many more bytes may be read
	kept [maxKept]byte
}

// reader returns a reader for an answer whose first byte has arrived.
func (c *Client) reader(x *exchange) *reader {
	rd := c.readers.Get().(*reader)
	rd.conn, rd.read, rd.late, rd.left = x.conn, false, false, maxHeader
	return rd
}

func (c *Client) release(rd *reader) {
	rd.conn = nil
	rd.buf.Reset(rd)
	c.readers.Put(rd)
}

// Read implements [io.Reader].
func (rd *reader) Read(b []byte) (n int, err error) {
	switch b = b[:min(len(b), rd.left)]; {
	case rd.left == 0:
		return 0, errLarge
	case !rd.read:
		rd.read = true
		n = copy(b, rd.conn.first[:])
	default:
		n, err = rd.conn.Read(b)
		rd.late = errors.Is(err, os.ErrDeadlineExceeded)
	}
	rd.left -= n
	return n, err
}

// answer reads the head of the answer, skipping informational ones (1xx). Together they are bounded
// by maxHeader.
func (rd *reader) answer() (*http.Response, error) {
	for {
		r, err := http.ReadResponse(rd.buf, nil)
		if rd.late && err != nil {
			return nil, os.ErrDeadlineExceeded
		}
		if err != nil || r.StatusCode < 100 || r.StatusCode > 199 || r.StatusCode == http.StatusSwitchingProtocols {
			return r, err
		}
	}
}

// finish reads the part of the body that is kept, and keeps the connection if the answer was read
// to its end. After a switch of protocols it reads no body.
func (c *Client) finish(ctx context.Context, x *exchange, rd *reader, answer *http.Response) []byte {
	if answer.StatusCode == http.StatusSwitchingProtocols {
		x.close()
		return nil
	}
	var kept []byte
	end := answer.Body == http.NoBody
	if !end {
		rd.left = math.MaxInt
		_ = x.SetDeadline(time.Now().Add(bodyTime)) // of an open connection
		if ctx.Err() != nil {
			x.interrupt()
		}
		kept, end = rd.body(answer)
	}
	if !end || answer.Close || rd.buf.Buffered() > 0 {
		x.close()
		return kept
	}
	x.keep(keepFor(answer.Header))
	return kept
}

// body returns the first 4 KiB of an answer's body. It reads on to its end, up to 64 KiB, since a
// connection can be reused only after the whole body was read. Errors of the body are ignored.
func (rd *reader) body(r *http.Response) (kept []byte, end bool) {
	n := 0
	var err error
	for n < maxKept && err == nil {
		var m int
		m, err = r.Body.Read(rd.kept[n:])
		n += m
	}
	kept = bytes.Clone(rd.kept[:n])
	if err == nil && r.ContentLength <= maxRead {
		_, err = io.CopyN(io.Discard, r.Body, maxRead-maxKept+1)
	}
	return kept, errors.Is(err, io.EOF)
}

// retryAfter parses the header Retry-After, seconds or a date (RFC 9110, section 10.2.3), into a
// time from now. A missing, malformed or past value is 0; the maximum is 30 days.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if text == "" {
		return 0
	}
	if text[0] >= '0' && text[0] <= '9' {
		return seconds(text)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// seconds parses digits only: no sign, no fraction.
func seconds(text string) time.Duration {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > int64(maxRetryAfter/time.Second) {
		return maxRetryAfter // too many digits
	}
	return time.Duration(n) * time.Second
}
