package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
)

func TestTrain(t *testing.T) {
	var lines strings.Builder
	for i := range 200 {
		fmt.Fprintf(&lines, `{"event_id":"evt_%026d","type":"order.created","api_version":"v1","sequence":%d}`+"\n", i*i, i)
	}
	var made bytes.Buffer
	if err := train(strings.NewReader(lines.String()), &made, 4<<10); err != nil {
		t.Fatal(err)
	}
	if s2.NewDict(made.Bytes()) == nil {
		t.Errorf("%d bytes are no dictionary", made.Len())
	}
	if err := train(strings.NewReader(""), &made, 4<<10); err == nil {
		t.Error("a dictionary of nothing was made")
	}
}
