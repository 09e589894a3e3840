package ent_test

import (
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent"
)

func TestOnly(t *testing.T) {
	broken := errors.New("the database is down")
	if row, err := ent.Only([]int{7}, nil); row != 7 || err != nil {
		t.Errorf("got %d, %v", row, err)
	}
	if _, err := ent.Only([]int{7}, broken); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	for rows, want := range map[int]string{0: "0 rows in place of one", 2: "2 rows in place of one"} {
		if _, err := ent.Only(make([]int, rows), nil); err == nil || err.Error() != want {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}
