package idem

import (
	"encoding/binary"
	"errors"
)

// errBroken means that a stored answer decrypts to something malformed.
var errBroken = errors.New("stored answer is malformed")

// encode encodes an answer without its status: content type and location with their lengths, then
// the body.
func encode(a Answer) []byte {
	b := make([]byte, 0, 8+len(a.ContentType)+len(a.Location)+len(a.Body))
	for _, s := range []string{a.ContentType, a.Location} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return append(b, a.Body...)
}

// decode decodes the result of encode.
func decode(status int, b []byte) (Answer, error) {
	a := Answer{Status: status}
	for _, s := range []*string{&a.ContentType, &a.Location} {
		n, size := binary.Uvarint(b)
		if size <= 0 || uint64(len(b)-size) < n {
			return Answer{}, errBroken
		}
		*s = string(b[size : size+int(n)])
		b = b[size+int(n):]
	}
	a.Body = b
	return a, nil
}
