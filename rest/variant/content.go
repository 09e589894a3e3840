package variant

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// maxRanges is the most ranges served for one request, since each may become a request to S3. With
// more the Range header is ignored, as RFC 9110, section 14.2, allows.
const maxRanges = 16

// Content serves a seekable resource with the conditions and ranges of [http.ServeContent]. The
// caller has set type and tag.
func Content(w http.ResponseWriter, r *http.Request, content io.ReadSeeker) {
	http.ServeContent(w, ranged(r), "", time.Time{}, content)
}

// ranged corrects how ServeContent reads the Range header.
func ranged(r *http.Request) *http.Request {
	asked := r.Header["Range"]
	if len(asked) == 0 {
		return r
	}
	value, ok := readRange(asked)
	if ok && value == asked[0] {
		return r
	}
	r = r.Clone(r.Context())
	if r.Header.Del("Range"); ok {
		r.Header.Set("Range", value)
	}
	return r
}

// readRange returns the ranges to serve. The header is ignored if it is repeated, uses another unit
// (required by RFC 9110, section 14.2), or asks for too many. A suffix of no bytes becomes a range
// beyond any end: it cannot be satisfied (section 14.1.1), but net/http would serve it.
func readRange(headers []string) (value string, ok bool) {
	const unit, behind = "bytes=", "9223372036854775807-"
	if len(headers) != 1 || len(headers[0]) < len(unit) || !strings.EqualFold(headers[0][:len(unit)], unit) {
		return "", false
	}
	ranges := strings.Split(headers[0][len(unit):], ",")
	if len(ranges) > maxRanges {
		return "", false
	}
	for i, r := range ranges {
		digits, suffix := strings.CutPrefix(strings.TrimSpace(r), "-")
		if suffix && digits != "" && strings.Trim(digits, "0") == "" {
			ranges[i] = behind
		}
	}
	return unit + strings.Join(ranges, ","), true
}
