package model_test

import (
	"testing"

	"github.com/storefront-go/storefront/graph/model"
)

func TestTime(t *testing.T) {
	const text = "1970-01-01T00:00:00.000001Z"
	if got := written(model.MarshalTime(1)); got != `"`+text+`"` {
		t.Errorf("wrote %s", got)
	}
	if at, err := model.UnmarshalTime(text); err != nil || at != 1 {
		t.Errorf("took %d, %v", at, err)
	}
	for _, v := range []any{nil, 1, int64(1), 1.5, true, "", "yesterday", []byte("1970-01-01T00:00:00Z")} {
		if _, err := model.UnmarshalTime(v); err == nil {
			t.Errorf("%v was accepted", v)
		}
	}
}
