package wire

import (
	"iter"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of JSON values. The zero Value is Null.
const (
	NullKind Kind = iota
	BoolKind
	NumberKind
	StringKind
	ArrayKind
	ObjectKind
)

// node is one value or one member's name. The nodes of a document are in the order of the text.
// Those of an object alternate between names and values.
type node struct {
	at     uint32 // the offset in the source
	lo, hi uint32 // text: its range; Bool: lo is 1 for true; containers: size, and the index after the last descendant
	kind   Kind
	own    bool // the range is in document.text because of escapes
}

// document is a parsed text. With sixteen bytes per node, the worst text ("[0,0,…") takes about ten
// times its size.
type document struct {
	src   []byte
	text  []byte // decoded strings with escapes
	nodes []node
}

// bytes returns the text of a string, a name or a number.
func (d *document) bytes(i uint32) []byte {
	n := &d.nodes[i]
	if n.own {
		return d.text[n.lo:n.hi]
	}
	return d.src[n.lo:n.hi]
}

// after returns the index of the node that follows the whole value at i.
func (d *document) after(i uint32) uint32 {
	if n := &d.nodes[i]; n.kind >= ArrayKind {
		return n.hi
	}
	return i + 1
}

// Value is one value of a parsed text. It is small and cheap to copy, and refers to the bytes given
// to [Parse], which must not change while it is in use. Its methods return copies.
type Value struct {
	doc *document
	i   uint32
}

// Kind returns the type of v.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return NullKind
	}
	return v.doc.nodes[v.i].kind
}

// Bool returns whether v is true; false for any other kind.
func (v Value) Bool() bool { return v.Kind() == BoolKind && v.doc.nodes[v.i].lo == 1 }

// Text returns the decoded text of a String, or a Number as written; "" for any other kind.
func (v Value) Text() string {
	if k := v.Kind(); k != StringKind && k != NumberKind {
		return ""
	}
	return string(v.doc.bytes(v.i))
}

// Len returns the number of elements of an Array or members of an Object; 0
// for any other kind.
func (v Value) Len() int {
	if v.Kind() < ArrayKind {
		return 0
	}
	return int(v.doc.nodes[v.i].lo)
}

// Offset returns the offset of v in the source, in bytes.
func (v Value) Offset() int {
	if v.doc == nil {
		return 0
	}
	return int(v.doc.nodes[v.i].at)
}

// Elements returns the elements of an Array, in order; none for any other kind.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != ArrayKind {
			return
		}
		n, end := 0, v.doc.nodes[v.i].hi
		for i := v.i + 1; i < end; i = v.doc.after(i) {
			if !yield(n, Value{v.doc, i}) {
				return
			}
			n++
		}
	}
}

// Members returns the members of an Object, in the order of the text; none for any other kind.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for name, m := range v.names() {
			if !yield(string(v.doc.bytes(name)), m) {
				return
			}
		}
	}
}

// names is Members with the nodes of the names, which copies nothing.
func (v Value) names() iter.Seq2[uint32, Value] {
	return func(yield func(uint32, Value) bool) {
		if v.Kind() != ObjectKind {
			return
		}
		end := v.doc.nodes[v.i].hi
		for i := v.i + 1; i < end; i = v.doc.after(i + 1) {
			if !yield(i, Value{v.doc, i + 1}) {
				return
			}
		}
	}
}

// Get returns the member of an Object with exactly that name. It searches linearly.
func (v Value) Get(name string) (Value, bool) {
	for i, m := range v.names() {
		if string(v.doc.bytes(i)) == name {
			return m, true
		}
	}
	return Value{}, false
}
