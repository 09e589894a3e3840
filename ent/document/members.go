package document

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// members are the names of an address's members as [NewAddress] writes them.
var members = [...][]byte{
	[]byte(`{"name":`), []byte(`,"company":`), []byte(`,"line1":`), []byte(`,"line2":`), []byte(`,"city":`),
	[]byte(`,"region":`), []byte(`,"postal_code":`), []byte(`,"country":`), []byte(`,"phone":`),
}

var null = []byte("null")

// Members hands the values of an address to visit, in the order of
// [AddressFields], empty ones for what is absent. It reads what [NewAddress]
// wrote, without decoding the whole; a value is valid during the call alone.
func (a Address) Members(visit func(value []byte)) error {
	rest := []byte(a)
	for _, name := range members {
		var ok bool
		if rest, ok = bytes.CutPrefix(rest, name); !ok {
			return fmt.Errorf("address: %s is not where it should be", name)
		}
		var value []byte
		var err error
		if value, rest, err = member(rest); err != nil {
			return err
		}
		visit(value)
	}
	if len(rest) != 1 || rest[0] != '}' {
		return fmt.Errorf("address: %d bytes are left", len(rest))
	}
	return nil
}

// fields reads what [NewAddress] wrote, at a fraction of what decoding takes; nil for what has
// another form.
func (a Address) fields() *AddressFields {
	var texts [len(members)]*string
	i := 0
	err := a.Members(func(value []byte) {
		if value != nil {
			s := string(value)
			texts[i] = &s
		}
		i++
	})
	if err != nil {
		return nil
	}
	f := &AddressFields{Name: texts[0], Company: texts[1], Line2: texts[3], Region: texts[5], PostalCode: texts[6],
		Phone: texts[8]}
	if texts[2] == nil || texts[4] == nil || texts[7] == nil {
		return nil
	}
	f.Line1, f.City, f.Country = *texts[2], *texts[4], *texts[7]
	return f
}

// member reads a string or null.
func member(b []byte) (value, rest []byte, err error) {
	if rest, ok := bytes.CutPrefix(b, null); ok {
		return nil, rest, nil
	}
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, fmt.Errorf("address: a value is not a text")
	}
	escaped := false
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			if !escaped {
				return b[1:i], b[i+1:], nil
			}
			var s string
			if err := json.Unmarshal(b[:i+1], &s); err != nil {
				return nil, nil, fmt.Errorf("address: %w", err)
			}
			return []byte(s), b[i+1:], nil
		}
	}
	return nil, nil, fmt.Errorf("address: a text does not end")
}
