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
		body := fmt.Sprintf(`{"event_id":"evt_%026d","type":"order.created","api_version":"v1","sequence":%d}`, i*i, i)
		fmt.Fprintf(&lines, "%x\n", body)
	}
	var made bytes.Buffer
	if err := train(strings.NewReader(lines.String()), &made, 4<<10); err != nil {
		t.Fatal(err)
	}
	if s2.NewDict(made.Bytes()) == nil {
		t.Errorf("%d bytes are no dictionary", made.Len())
	}
	if err := train(strings.NewReader(""), &made, 4<<10); err == nil {
		t.Error("built a dictionary of nothing")
	}
	for _, line := range []string{"7b7d\n7b7", "ff"} {
		if err := train(strings.NewReader(line), &made, 4<<10); err == nil {
			t.Errorf("built a dictionary of %q", line)
		}
	}
}
