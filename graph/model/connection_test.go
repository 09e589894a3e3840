package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/model"
)

func TestConnection(t *testing.T) {
	c := model.Connection[int]{Nodes: []int{7, 8}, Next: "n",
		Sign: func(n int) string { return strings.Repeat("c", n) }}
	info := c.PageInfo()
	if !info.HasNextPage || *info.StartCursor != "ccccccc" || *info.EndCursor != "n" {
		t.Errorf("got %+v", info)
	}
	c.Next = ""
	if info := c.PageInfo(); info.HasNextPage || *info.EndCursor != "cccccccc" {
		t.Errorf("the last page: %+v", info)
	}
	if e := c.Edges(); len(e) != 2 || e[1].Node != 8 || e[1].Cursor != "cccccccc" {
		t.Errorf("got %+v", e)
	}
	empty := model.Connection[int]{}
	if info := empty.PageInfo(); info.HasNextPage || info.StartCursor != nil || info.EndCursor != nil {
		t.Errorf("an empty page: %+v", info)
	}
}

// A JSON number counts by its value (contract, section 1).
func TestUnmarshalLong(t *testing.T) {
	for _, tc := range []struct {
		in   any
		want int64
		ok   bool
	}{
		{json.Number("15"), 15, true},
		{json.Number("1.0"), 1, true},
		{json.Number("1e3"), 1000, true},
		{json.Number("9007199254740991"), 9007199254740991, true},
		{json.Number("9007199254740992"), 0, false},
		{json.Number("1.5"), 0, false},
		{int64(3), 3, true},
		{1e3, 1000, true},
		{1.5, 0, false},
		{9007199254740992.0, 0, false},
		{"15", 0, false},
		{true, 0, false},
		{nil, 0, false},
	} {
		got, err := model.UnmarshalLong(tc.in)
		if got != tc.want || (err == nil) != tc.ok {
			t.Errorf("%v: got %d, %v", tc.in, got, err)
		}
	}
}
