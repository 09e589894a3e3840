package work_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/engine/work"
)

func TestGuard(t *testing.T) {
	var g work.Guard
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	broken := errors.New("broken")
	if err := g.Do(t.Context(), log, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("the error became %v", err)
	}
	if err := g.Do(t.Context(), log, func() error { return nil }); err != nil || g.Panics() != 0 || out.Len() > 0 {
		t.Errorf("%v, %d panics, %s", err, g.Panics(), out.String())
	}
	err := g.Do(t.Context(), log.With("export", "exp_1"), func() error { panic(broken) })
	if _, ok := errors.AsType[*work.Panic](err); !ok || errors.Is(err, broken) || err.Error() != "panic: broken" ||
		g.Panics() != 1 {
		t.Errorf("%v, %d panics", err, g.Panics())
	}
	for _, want := range []string{"panic: broken", "guard_test.go", "export=exp_1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log lacks %q: %s", want, out.String())
		}
	}
}
