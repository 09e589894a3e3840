package eventbody_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/storefront-go/storefront/ent/eventbody"
	"github.com/storefront-go/storefront/ent/eventbody/internal/short"
)

// sample is the beginning of a typical event.
const sample = `{"event_id":"evt_01m86q7wjmfgv9zm8cqjwj5w3e","type":"order.created","api_version":"v1",` +
	`"occurred_at":"2026-11-24T12:07:12.212763Z","store_id":"str_01m86q7vdvfsbtm8x8aced3dfy",` +
	`"resource":{"type":"order","id":"ord_01m4tmxg2mf2prrhzytmma8n2c","version":1},"sequence":1,"changed_fields":null}`

func TestPack(t *testing.T) {
	for name, tc := range map[string]struct {
		pack  func([]byte) []byte
		first byte
		part  int // of the sample's bytes
	}{"first": {eventbody.PackFirst, 1, 2}, "second": {eventbody.Pack, 2, 3}} {
		for _, body := range []string{
			sample, "{}", `{"a":"` + strings.Repeat("é", 300<<10) + `"}`, "", "{\x01\x02" + sample,
		} {
			stored := tc.pack([]byte(body))
			if size, err := eventbody.Size(stored); err != nil || size != len(body) {
				t.Errorf("%s: %.20q: size %d, %v, want %d", name, body, size, err, len(body))
			}
			var read eventbody.Body
			if err := read.Scan(stored); err != nil || string(read) != body {
				t.Errorf("%s: %.20q: read %.40q, %v", name, body, read, err)
			}
		}
		if stored := tc.pack([]byte(sample)); stored[0] != tc.first || len(stored) > len(sample)/tc.part {
			t.Errorf("%s: %d bytes of %d: the dictionary does not help", name, len(stored), len(sample))
		}
	}
}

// TestForms reads each form that earlier programs stored. Only add to it: databases contain these
// forms.
func TestForms(t *testing.T) {
	for name, stored := range map[string]string{
		"plain": hex.EncodeToString([]byte(sample)),
		"first": "01a0023254002e6e00446a6d666776397a6d3863716a776a3577336519a9046f7216a30aeafb001c322e323132373633" +
			"46520111d6150034606d34746d7867326d6632707272687a79746d6d61386e3263222e3f024175150014106e756c6c7d",
		"second": "02a002ef014a1800340d73f2547c369fd10cbcb922f06ef6810010048cea9b1b4ef400340d73edbb7e57aa23a8531c" +
			"d1b5fe3af4002ef20035524872640101a1354ec05478ad8c47fed528a4544c21eb150020143a6e756c6c7d",
	} {
		b, err := hex.DecodeString(stored)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := eventbody.Unpack(b); err != nil || string(body) != sample {
			t.Errorf("%s: %s, %v", name, body, err)
		}
	}
	for name, want := range map[string]string{
		"dictionary1.s2": "b78cc31cfca144c08e3ec6ae5162a05a3fca410749bb255671fc32e5569668e6",
		"dictionary2.s2": "fe82b834fef4a6e42ce67dd91700b456fed46ab6973907a7db930884a125b417",
	} {
		dictionary, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(dictionary); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has changed: %x", name, sum)
		}
	}
}

func TestUnpackRefuses(t *testing.T) {
	first, second := eventbody.PackFirst([]byte(sample)), eventbody.Pack([]byte(sample))
	large := s2.Encode(nil, make([]byte, eventbody.MaxSize+1))
	for name, tc := range map[string]struct {
		stored []byte
		want   error
	}{
		"unknown codec":       {append([]byte{3}, first[1:]...), eventbody.ErrUnknown},
		"first, too large":    {append([]byte{1}, large...), eventbody.ErrUnknown},
		"first, cut":          {first[:len(first)-3], s2.ErrCorrupt},
		"first, empty":        {first[:1], s2.ErrCorrupt},
		"second, too large":   {append([]byte{2, 0x81, 0x80, 0x40}, second[3:]...), eventbody.ErrUnknown},
		"second, huge":        {binary.AppendUvarint([]byte{2}, math.MaxUint64), eventbody.ErrUnknown},
		"second, longer":      {append([]byte{2, 8}, large...), eventbody.ErrUnknown},
		"second, other size":  {append([]byte{2, 0xa1, 2}, second[3:]...), short.ErrCorrupt},
		"second, cut":         {second[:len(second)-3], s2.ErrCorrupt},
		"second, empty":       {second[:1], s2.ErrCorrupt},
		"second, size alone":  {second[:3], s2.ErrCorrupt},
		"second, size is cut": {second[:2], s2.ErrCorrupt},
	} {
		if body, err := eventbody.Unpack(tc.stored); !errors.Is(err, tc.want) || body != nil {
			t.Errorf("%s: %q, %v, want %v", name, body, err, tc.want)
		}
	}
	var body eventbody.Body
	if err := body.Scan("text"); err == nil {
		t.Error("a text was read as a body")
	}
}

// TestScanCopies reads a row whose buffer is reused.
func TestScanCopies(t *testing.T) {
	buffer := []byte(sample)
	var body eventbody.Body
	if err := body.Scan(buffer); err != nil {
		t.Fatal(err)
	}
	clear(buffer)
	if string(body) != sample {
		t.Errorf("%q", body)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte(sample))
	f.Add(eventbody.Pack([]byte(sample)))
	f.Add(eventbody.PackFirst([]byte(sample)))
	f.Add([]byte{1})
	f.Add([]byte{2, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		size, err := eventbody.Size(b)
		body, uerr := eventbody.Unpack(b)
		if err != nil && uerr == nil || uerr == nil && size != len(body) {
			t.Errorf("size %d, %v; %d bytes, %v", size, err, len(body), uerr)
		}
		if len(b) == 0 || b[0] != '{' {
			return
		}
		for _, stored := range [][]byte{eventbody.Pack(b), eventbody.PackFirst(b)} {
			if again, err := eventbody.Unpack(stored); err != nil || !bytes.Equal(again, b) {
				t.Errorf("%q became %q, %v", b, again, err)
			}
		}
	})
}

func BenchmarkPack(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		eventbody.Pack([]byte(sample))
	}
}

func BenchmarkUnpack(b *testing.B) {
	stored := eventbody.Pack([]byte(sample))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := eventbody.Unpack(stored); err != nil {
			b.Fatal(err)
		}
	}
}
