package idem

import (
	"encoding/binary"
	"errors"
)

var errBroken = errors.New("stored answer is malformed")

// encode encodes an answer but its status: content type and location with lengths, then the body.
func encode(a Answer) []byte {
	b := make([]byte, 0, 8+len(a.ContentType)+len(a.Location)+len(a.Body))
	for _, s := range []string{a.ContentType, a.Location} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return append(b, a.Body...)
}

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
