package eventbody_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/storefront-go/storefront/ent/eventbody"
)

// sample is an event as bodies begin.
const sample = `{"event_id":"evt_01m86q7wjmfgv9zm8cqjwj5w3e","type":"order.created","api_version":"v1",` +
	`"occurred_at":"2026-11-24T12:07:12.212763Z","store_id":"str_01m86q7vdvfsbtm8x8aced3dfy",` +
	`"resource":{"type":"order","id":"ord_01m4tmxg2mf2prrhzytmma8n2c","version":1},"sequence":1,"changed_fields":null}`

func TestPack(t *testing.T) {
	for _, body := range []string{sample, "{}", `{"a":"` + strings.Repeat("é", 300<<10) + `"}`, ""} {
		stored := eventbody.Pack([]byte(body))
		if size, err := eventbody.Size(stored); err != nil || size != len(body) {
			t.Errorf("%.20q: size %d, %v, want %d", body, size, err, len(body))
		}
		var read eventbody.Body
		if err := read.Scan(stored); err != nil || string(read) != body {
			t.Errorf("%.20q: read %.40q, %v", body, read, err)
		}
	}
	if stored := eventbody.Pack([]byte(sample)); len(stored) > len(sample)/2 {
		t.Errorf("%d bytes of %d: the dictionary does not serve", len(stored), len(sample))
	}
}

// TestFirstForm reads what earlier programs stored, packed and plain. It is not to be
// changed: databases hold it.
func TestFirstForm(t *testing.T) {
	const packed = "01a0023254002e6e00446a6d666776397a6d3863716a776a3577336519a9046f7216a30aeafb001c322e323132373633" +
		"46520111d6150034606d34746d7867326d6632707272687a79746d6d61386e3263222e3f024175150014106e756c6c7d"
	stored, err := hex.DecodeString(packed)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{stored, []byte(sample)} {
		if body, err := eventbody.Unpack(b); err != nil || string(body) != sample {
			t.Errorf("%x: %s, %v", b, body, err)
		}
	}
	dictionary, err := os.ReadFile("dictionary1.s2")
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(dictionary); hex.EncodeToString(sum[:]) != "b78cc31cfca144c08e3ec6ae5162a05a3fca410749bb255671fc32e5569668e6" {
		t.Errorf("dictionary1.s2 is another one: %x", sum)
	}
}

func TestUnpackRefuses(t *testing.T) {
	packed, large := eventbody.Pack([]byte(sample)), s2.Encode(nil, make([]byte, eventbody.MaxSize+1))
	for name, tc := range map[string]struct {
		stored []byte
		want   error
	}{
		"unknown codec": {append([]byte{2}, packed[1:]...), eventbody.ErrUnknown},
		"too large":     {append([]byte{1}, large...), eventbody.ErrUnknown},
		"cut":           {packed[:len(packed)-3], s2.ErrCorrupt},
		"empty":         {packed[:1], s2.ErrCorrupt},
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

// TestScanKeepsNothingOfTheDriver reads a row whose buffer is used again.
func TestScanKeepsNothingOfTheDriver(t *testing.T) {
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
	f.Add([]byte{1})
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		size, err := eventbody.Size(b)
		body, uerr := eventbody.Unpack(b)
		if err != nil && uerr == nil || uerr == nil && size != len(body) {
			t.Errorf("size %d, %v; %d bytes, %v", size, err, len(body), uerr)
		}
		if again, err := eventbody.Unpack(eventbody.Pack(b)); len(b) > 0 && b[0] == '{' &&
			(err != nil || !bytes.Equal(again, b)) {
			t.Errorf("%q became %q, %v", b, again, err)
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
