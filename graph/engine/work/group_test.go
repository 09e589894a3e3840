package work_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/graph/engine/work"
)

func TestGroupStopsInReverse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g work.Group
		ended := make(chan string, 3)
		for _, name := range []string{"a", "b", "c"} {
			l, err := work.New(work.Config{Name: name, Interval: time.Minute, Run: func(ctx context.Context) error {
				<-ctx.Done()
				ended <- name
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			l.Wake()
			g.Add(l)
		}
		g.Stop(t.Context()) // does nothing
		g.Start(t.Context())
		synctest.Wait()
		g.Stop(t.Context())
		if got := <-ended + <-ended + <-ended; got != "cba" {
			t.Errorf("stopped in the order %q, want cba", got)
		}
	})
}
