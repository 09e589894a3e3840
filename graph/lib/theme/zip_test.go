package theme

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
	"testing"
)

// raw is an entry of an archive that is written byte by byte, so that it can be invalid in ways in
// which no zip writer is. Zero values stand for valid ones.
type raw struct {
	name    string
	body    []byte
	method  uint16 // of both headers; deflate compresses the body
	flags   uint16
	made    uint16 // the system that created it, and its version
	mode    uint32 // the Unix mode
	sum     uint32
	size    uint32
	packed  uint32
	local   string // the name in the local header
	at      int    // its position in the central directory, from 1
	unlike  uint16 // the method in the local header
	trailer bool   // sizes follow the data
}

// end changes the archive's end record.
type end struct {
	total, parts uint16
	list, size   uint32
	comment      []byte
	before       []byte // in front of the archive
}

func zipRaw(e end, list ...raw) []byte {
	var b, dir bytes.Buffer
	b.Write(e.before)
	for _, r := range list {
		at := b.Len()
		if r.at > 0 {
			at = r.at - 1
		}
		r.write(&b, &dir, uint32(at))
	}
	from := b.Len()
	b.Write(dir.Bytes())
	b.WriteString(endMark)
	total := cmp.Or(e.total, uint16(len(list)))
	put(&b, e.parts, uint16(0), total, total, cmp.Or(e.size, uint32(dir.Len())), cmp.Or(e.list, uint32(from)),
		uint16(len(e.comment)))
	b.Write(e.comment)
	return b.Bytes()
}

func (r raw) write(b, dir *bytes.Buffer, at uint32) {
	data := r.body
	if r.method == zip.Deflate {
		data = deflate(r.body)
	}
	sum, size, packed := cmp.Or(r.sum, crc32.ChecksumIEEE(r.body)), cmp.Or(r.size, uint32(len(r.body))),
		cmp.Or(r.packed, uint32(len(data)))
	local, method, flags := cmp.Or(r.local, r.name), cmp.Or(r.unlike, r.method), r.flags
	b.WriteString(localMark)
	if r.trailer {
		flags |= flagTrailer
		put(b, uint16(20), flags, method, uint32(0), uint32(0), uint32(0), uint32(0))
	} else {
		put(b, uint16(20), flags, method, uint32(0), sum, packed, size)
	}
	put(b, uint16(len(local)), uint16(0))
	b.WriteString(local)
	b.Write(data)
	if r.trailer {
		b.WriteString("PK\x07\x08")
		put(b, sum, packed, size)
	}
	dir.WriteString(listMark)
	made := r.made
	if r.mode != 0 {
		made = 3 << 8
	}
	put(dir, made, uint16(20), flags, r.method, uint32(0), sum, packed, size)
	put(dir, uint16(len(r.name)), uint16(0), uint16(0), uint16(0), uint16(0), r.mode<<16, at)
	dir.WriteString(r.name)
}

func put(b *bytes.Buffer, list ...any) {
	for _, v := range list {
		if err := binary.Write(b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

func deflate(body []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed)
	w.Write(body)
	w.Close()
	return b.Bytes()
}

// tree is the files of a theme by their names.
type tree map[string]string

// with returns the tree with changed files; "-" removes one.
func (t tree) with(pairs ...string) tree {
	t = maps.Clone(t)
	for i := 0; i < len(pairs); i += 2 {
		if t[pairs[i]] = pairs[i+1]; pairs[i+1] == "-" {
			delete(t, pairs[i])
		}
	}
	return t
}

// raws returns the entries of the tree, by name.
func (t tree) raws() []raw {
	list := []raw{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		list = append(list, raw{name: name, body: []byte(t[name]), method: zip.Deflate})
	}
	return list
}

func (t tree) zip() []byte { return zipRaw(end{}, t.raws()...) }

// plus returns the tree as an archive with additional entries at its end.
func (t tree) plus(list ...raw) []byte { return zipRaw(end{}, append(t.raws(), list...)...) }

// libraryZip returns the tree as the standard library writes it.
func (t tree) libraryZip(tb testing.TB) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		f, err := w.Create(name)
		if err != nil {
			tb.Fatal(err)
		}
		f.Write([]byte(t[name]))
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}
