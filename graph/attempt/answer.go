package attempt

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Bounds of an answer, in bytes.
const (
	maxHeader = 32 << 10
	maxRead   = 64 << 10
	maxKept   = 4 << 10
)

// farthest is the longest Retry-After that differs from a longer one.
const farthest = 30 * 24 * time.Hour

// read returns the first 4 KiB of an answer's body. It reads on to its end, up
// to 64 KiB, since only a body that was read to its end leaves its connection
// for the next attempt. What goes wrong with a body changes nothing.
func (c *Client) read(r *http.Response) []byte {
	buf := c.buffers.Get().(*[maxKept]byte)
	defer c.buffers.Put(buf)
	body := io.LimitReader(r.Body, maxRead)
	n, err := io.ReadFull(body, buf[:])
	kept := bytes.Clone(buf[:n])
	if err == nil && r.ContentLength <= maxRead {
		_, _ = io.Copy(io.Discard, body) // see above
	}
	return kept
}

// retryAfter reads the header Retry-After, seconds or a date (RFC 9110, section
// 10.2.3), as a time from now. Nothing, nonsense and the past are 0; what is
// more than 30 days is 30 days.
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
	return min(max(at.Sub(now), 0), farthest)
}

// seconds reads digits alone: no sign, no fraction.
func seconds(text string) time.Duration {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > int64(farthest/time.Second) {
		return farthest // digits that are too many
	}
	return time.Duration(n) * time.Second
}
