package work_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/graph/engine/work"
)

// started creates and starts a loop of one minute that counts its rounds.
func started(t *testing.T, c work.Config) (*work.Loop, *atomic.Int64) {
	t.Helper()
	var n atomic.Int64
	run := c.Run
	c.Name, c.Interval = "test", time.Minute
	c.Run = func(ctx context.Context) error {
		n.Add(1)
		if run == nil {
			return nil
		}
		return run(ctx)
	}
	l, err := work.New(c)
	if err != nil {
		t.Fatal(err)
	}
	l.Start(t.Context())
	t.Cleanup(func() { l.Stop(context.Background()) })
	return l, &n
}

// after waits in fake time.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestLoopKeepsItsInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, n := started(t, work.Config{})
		after(53 * time.Second)
		if got := n.Load(); got != 0 {
			t.Errorf("%d rounds before the shortest interval, want 0", got)
		}
		after(14 * time.Second)
		if got := n.Load(); got != 1 {
			t.Errorf("%d rounds after the longest interval, want 1", got)
		}
		after(time.Hour)
		if got := n.Load(); got < 1+54 || got > 1+67 {
			t.Errorf("%d rounds after an hour, want about 61", got)
		}
	})
}

// No request waits for the transactions of a loop or of another service.
func TestLoopIsBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		background := false
		l, _ := started(t, work.Config{Run: func(ctx context.Context) error {
			background = ent.IsBackground(ctx)
			return nil
		}})
		l.Wake()
		if synctest.Wait(); !background {
			t.Error("the context of a round is not that of background work")
		}
	})
}

func TestLoopWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		l, n := started(t, work.Config{Run: func(context.Context) error { <-release; return nil }})
		l.Wake()
		synctest.Wait()
		if got := n.Load(); got != 1 {
			t.Fatalf("%d rounds after a wake, want 1", got)
		}
		for range 3 {
			l.Wake()
		}
		close(release)
		synctest.Wait()
		if got := n.Load(); got != 2 {
			t.Errorf("%d rounds after three wakes during a round, want 2", got)
		}
	})
}

func TestLoopStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		l, n := started(t, work.Config{Run: func(ctx context.Context) error {
			<-ctx.Done()
			ended = true
			return ctx.Err()
		}})
		l.Wake()
		synctest.Wait()
		l.Stop(t.Context())
		if !ended {
			t.Error("Stop returned before the round did")
		}
		l.Stop(t.Context()) // does nothing
		after(time.Hour)
		if got := n.Load(); got != 1 {
			t.Errorf("%d rounds, want none after Stop", got)
		}
		l.Start(t.Context())
		l.Start(t.Context()) // does nothing
		l.Wake()
		synctest.Wait()
		if got := n.Load(); got != 2 {
			t.Errorf("%d rounds after a second Start, want 2", got)
		}
	})
}

func TestLoopOutlivesItsRounds(t *testing.T) {
	for _, tc := range []struct {
		name string
		run  func(context.Context) error
		want string
	}{
		{"error", func(context.Context) error { return errors.New("no luck") }, "no luck"},
		{"panic", func(context.Context) error { panic("no luck") }, "panic: no luck"},
		{"timeout", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, "deadline exceeded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				_, n := started(t, work.Config{Run: tc.run, Timeout: time.Second,
					Logger: slog.New(slog.NewTextHandler(&log, nil))})
				after(3 * time.Minute)
				if got := n.Load(); got < 2 {
					t.Errorf("%d rounds after three minutes, want 2", got)
				}
				if !strings.Contains(log.String(), tc.want) || !strings.Contains(log.String(), "loop=test") {
					t.Errorf("the log lacks it: %s", log.String())
				}
			})
		})
	}
}

func TestNewRefuses(t *testing.T) {
	run := func(context.Context) error { return nil }
	for _, tc := range []struct {
		name string
		c    work.Config
	}{
		{"no name", work.Config{Run: run, Interval: 1}},
		{"no function", work.Config{Name: "x", Interval: 1}},
		{"no interval", work.Config{Name: "x", Run: run}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := work.New(tc.c); err == nil {
				t.Error("no error")
			}
		})
	}
}
