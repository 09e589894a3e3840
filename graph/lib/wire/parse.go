package wire

import (
	"bytes"
	"hash/maphash"
	"math"

	"github.com/storefront-go/storefront/ent/fault"
)

// MaxDepth is how deep arrays and objects may nest, counted together.
const MaxDepth = 32

// maxRoom is the highest number of nodes to allocate in advance: a body above a mebibyte is mostly
// one long text.
const maxRoom = 64 << 10

// parser parses a text in one pass.
type parser struct {
	*document
	pos   int
	seed  maphash.Seed
	table []uint32 // reused from the last duplicate check
}

// Parse parses exactly one JSON value (RFC 8259), which white space may surround. The error is a
// [fault.Error] of kind MalformedBody that says what is wrong and at which byte. Time and memory
// are linear in len(b). The value refers to b.
func Parse(b []byte) (Value, error) {
	p := &parser{document: &document{src: b}}
	if uint64(len(b)) > math.MaxUint32/2 { // nodes hold 32-bit offsets
		return Value{}, p.fail("too long", 0)
	}
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return Value{}, p.fail("byte order mark", 0)
	}
	p.nodes = make([]node, 0, min(len(b)/16+4, maxRoom))
	p.space()
	if p.pos == len(b) {
		return Value{}, p.fail("no value", p.pos)
	}
	if err := p.value(0); err != nil {
		return Value{}, err
	}
	if p.space(); p.pos < len(b) {
		return Value{}, p.fail("more data after the value", p.pos)
	}
	return Value{doc: p.document}, nil
}

// fail returns the error. It does not repeat the text of the body.
func (p *parser) fail(what string, at int) error {
	return fault.Newf(fault.MalformedBody, "The body is not valid JSON: %s at byte %d.", what, at)
}

// unexpected returns the error for the byte at pos, or for the end.
func (p *parser) unexpected() error {
	if p.pos >= len(p.src) {
		return p.fail("unexpected end", p.pos)
	}
	return p.fail("unexpected character", p.pos)
}

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// take skips c if it is next.
func (p *parser) take(c byte) bool {
	if p.pos < len(p.src) && p.src[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// value reads the value at pos; depth is the number of containers around it.
func (p *parser) value(depth int) error {
	if p.pos >= len(p.src) {
		return p.unexpected()
	}
	switch p.src[p.pos] {
	case '{':
		return p.container(ObjectKind, depth+1)
	case '[':
		return p.container(ArrayKind, depth+1)
	case '"':
		return p.str()
	case 't':
		return p.literal("true", node{kind: BoolKind, lo: 1})
	case 'f':
		return p.literal("false", node{kind: BoolKind})
	case 'n':
		return p.literal("null", node{})
	}
	return p.number()
}

func (p *parser) literal(word string, n node) error {
	n.at = uint32(p.pos)
	for i := range len(word) {
		if !p.take(word[i]) {
			return p.unexpected()
		}
	}
	p.nodes = append(p.nodes, n)
	return nil
}

// container reads an array or an object at a nesting depth.
func (p *parser) container(k Kind, depth int) error {
	if depth > MaxDepth {
		return p.fail("nesting too deep", p.pos)
	}
	self := len(p.nodes)
	p.nodes = append(p.nodes, node{kind: k, at: uint32(p.pos)})
	p.pos++
	// In ASCII, the closing bracket is two after the opening one.
	end, size := p.src[p.pos-1]+2, uint32(0)
	for p.space(); !p.take(end); p.space() {
		if size > 0 {
			if !p.take(',') {
				return p.unexpected()
			}
			p.space()
		}
		if k == ObjectKind {
			if err := p.name(); err != nil {
				return err
			}
		}
		if err := p.value(depth); err != nil {
			return err
		}
		size++
	}
	p.nodes[self].lo, p.nodes[self].hi = size, uint32(len(p.nodes))
	if k == ObjectKind {
		return p.unique(Value{p.document, uint32(self)})
	}
	return nil
}

// name reads a member's name, up to its value.
func (p *parser) name() error {
	if p.pos >= len(p.src) || p.src[p.pos] != '"' {
		return p.unexpected()
	}
	if err := p.str(); err != nil {
		return err
	}
	if p.space(); !p.take(':') {
		return p.unexpected()
	}
	p.space()
	return nil
}

// number reads a number as defined in RFC 8259 section 6.
func (p *parser) number() error {
	from := p.pos
	p.take('-')
	if !p.take('0') && !p.digits() {
		return p.unexpected()
	}
	if p.take('.') && !p.digits() {
		return p.unexpected()
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		if !p.digits() {
			return p.unexpected()
		}
	}
	p.nodes = append(p.nodes, node{kind: NumberKind, at: uint32(from), lo: uint32(from), hi: uint32(p.pos)})
	return nil
}

// digits skips digits and reports whether there was one.
func (p *parser) digits() bool {
	from := p.pos
	for p.pos < len(p.src) && p.src[p.pos]-'0' <= 9 {
		p.pos++
	}
	return p.pos > from
}
