package ent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db/product"
	"github.com/storefront-go/storefront/ent/storetest"
)

// grouped is a store on SQLite whose commits are counted and can be made to fail.
type grouped struct {
	*ent.Store
	ctx     context.Context
	commits atomic.Int64
	fail    atomic.Pointer[error]
	wg      sync.WaitGroup
}

// inBubble runs f with such a store in a synctest bubble.
func inBubble(t *testing.T, f func(t *testing.T, s *grouped)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := new(grouped)
		var err error
		s.Store, err = ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t), Committed: func() error {
			s.commits.Add(1)
			if err := s.fail.Load(); err != nil {
				return *err
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.ctx, _ = storetest.Merchant(t, s.Store)
		s.commits.Store(0)
		f(t, s)
	})
}

// behind runs f in a transaction that starts while another one is open, and returns when it waits.
// The error is set after s.wg.
func (s *grouped) behind(ctx context.Context, f func(context.Context) error) *error {
	err := new(error)
	s.wg.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				*err = fmt.Errorf("panic: %v", p)
			}
		}()
		*err = s.InTx(ctx, f)
	})
	synctest.Wait()
	return err
}

func (s *grouped) add(handle string) func(context.Context) error {
	return func(ctx context.Context) error { return add(ctx, s.Store, handle) }
}

// handles returns the handles of all products, sorted.
func (s *grouped) handles(t *testing.T) []string {
	t.Helper()
	got, err := s.DB(s.ctx).Product.Query().Order(product.ByHandle()).Select(product.FieldHandle).Strings(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// check compares the stored handles and the number of commits.
func (s *grouped) check(t *testing.T, commits int64, want ...string) {
	t.Helper()
	if got := s.handles(t); !slices.Equal(got, want) {
		t.Errorf("stored: %q, want %q", got, want)
	}
	if got := s.commits.Load(); got != commits {
		t.Errorf("%d commits, want %d", got, commits)
	}
}

// Members of a group commit or roll back separately, and each sees the rows of the previous ones.
func TestGroupCommit(t *testing.T) {
	inBubble(t, func(t *testing.T, s *grouped) {
		var b, duplicate, ours, panicked, c *error
		hooks := 0
		err := s.InTx(s.ctx, func(ctx context.Context) error {
			b = s.behind(s.ctx, s.add("b"))
			duplicate = s.behind(s.ctx, func(ctx context.Context) error {
				if n := count(t, ctx, s.Store); n != 2 {
					t.Errorf("the third member sees %d rows, want 2", n)
				}
				return errors.Join(add(ctx, s.Store, "rolled back"), add(ctx, s.Store, "a"))
			})
			ours = s.behind(s.ctx, func(ctx context.Context) error {
				ent.OnCommit(ctx, func() { t.Error("a hook of a failed member ran") })
				return errors.Join(add(ctx, s.Store, "rolled back"), errOurs)
			})
			panicked = s.behind(s.ctx, func(ctx context.Context) error {
				if err := add(ctx, s.Store, "rolled back"); err != nil {
					return err
				}
				panic("of the test")
			})
			c = s.behind(s.ctx, func(ctx context.Context) error {
				ent.OnCommit(ctx, func() {
					hooks++
					s.check(t, 1, "a", "b", "c")
				})
				if n := count(t, ctx, s.Store); n != 2 {
					t.Errorf("the last member sees %d rows, want 2", n)
				}
				return add(ctx, s.Store, "c")
			})
			return add(ctx, s.Store, "a")
		})
		s.wg.Wait()
		if err != nil || *b != nil || *c != nil || hooks != 1 {
			t.Errorf("%v, %v, %v, %d hooks", err, *b, *c, hooks)
		}
		if !ent.IsDuplicate(*duplicate) || !errors.Is(*ours, errOurs) || *panicked == nil {
			t.Errorf("%v, %v, %v", *duplicate, *ours, *panicked)
		}
		s.check(t, 1, "a", "b", "c")
	})
}

// A member that fails because of a row of another member gets its error only after that row is
// committed. If it is not, the member runs again.
func TestGroupLoser(t *testing.T) {
	for _, fails := range []bool{false, true} {
		inBubble(t, func(t *testing.T, s *grouped) {
			runs, want := 0, 1
			if fails {
				want = 2
				s.fail.Store(new(errors.New("the answer was lost")))
			}
			var loser *error
			_ = s.InTx(s.ctx, func(ctx context.Context) error {
				loser = s.behind(s.ctx, func(ctx context.Context) error {
					runs++
					return add(ctx, s.Store, "a")
				})
				s.behind(s.ctx, func(ctx context.Context) error {
					if synctest.Wait(); *loser != nil {
						t.Errorf("returned before the commit: %v", *loser)
					}
					return add(ctx, s.Store, "c")
				})
				return add(ctx, s.Store, "a")
			})
			s.wg.Wait()
			if !ent.IsDuplicate(*loser) || runs != want {
				t.Errorf("%v after %d runs, want %d", *loser, runs, want)
			}
		})
	}
}

// If the first or the last member fails, the others commit.
func TestGroupEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, s *grouped) {
		var b, last *error
		err := s.InTx(s.ctx, func(ctx context.Context) error {
			b = s.behind(s.ctx, s.add("b"))
			last = s.behind(s.ctx, func(ctx context.Context) error {
				return errors.Join(add(ctx, s.Store, "rolled back"), errOurs)
			})
			return errors.Join(add(ctx, s.Store, "rolled back"), errOurs)
		})
		s.wg.Wait()
		if !errors.Is(err, errOurs) || *b != nil || !errors.Is(*last, errOurs) {
			t.Errorf("%v, %v, %v", err, *b, *last)
		}
		s.check(t, 1, "b")
	})
}

// SQLite rolls back the whole transaction after some errors: then the other members run again.
func TestGroupLost(t *testing.T) {
	inBubble(t, func(t *testing.T, s *grouped) {
		runs := map[string]int{}
		add := func(handle string) func(context.Context) error {
			return func(ctx context.Context) error {
				runs[handle]++
				return add(ctx, s.Store, handle)
			}
		}
		var b, fatal, c *error
		err := s.InTx(s.ctx, func(ctx context.Context) error {
			if b == nil {
				b = s.behind(s.ctx, add("b"))
				fatal = s.behind(s.ctx, func(ctx context.Context) error {
					if _, err := s.DB(ctx).ExecContext(ctx, "ROLLBACK"); err != nil {
						t.Error(err)
					}
					return errOurs
				})
				c = s.behind(s.ctx, add("c"))
			}
			return add("a")(ctx)
		})
		s.wg.Wait()
		if err != nil || *b != nil || !errors.Is(*fatal, errOurs) || *c != nil {
			t.Errorf("%v, %v, %v, %v", err, *b, *fatal, *c)
		}
		if runs["a"] != 2 || runs["b"] != 2 {
			t.Errorf("runs: %v, want the first two twice", runs)
		}
		if got, want := s.handles(t), []string{"a", "b", "c"}; !slices.Equal(got, want) {
			t.Errorf("stored: %q, want %q", got, want)
		}
	})
}

// An error of the commit is returned to all members.
func TestGroupUncertain(t *testing.T) {
	inBubble(t, func(t *testing.T, s *grouped) {
		s.fail.Store(new(errors.New("the answer was lost")))
		var b *error
		err := s.InTx(s.ctx, func(ctx context.Context) error {
			b = s.behind(s.ctx, s.add("b"))
			return add(ctx, s.Store, "a")
		})
		s.wg.Wait()
		if !errors.Is(err, ent.ErrUncertain) || !errors.Is(*b, ent.ErrUncertain) {
			t.Errorf("%v, %v", err, *b)
		}
		s.check(t, 1, "a", "b")
	})
}

// A finished write returns within milliseconds, however long the next member takes, which then runs
// again in a transaction of its own.
func TestGroupEvicts(t *testing.T) {
	wait := func(context.Context) error { <-time.After(2 * time.Second); return nil }
	for name, slow := range map[string]func(s *grouped, ctx context.Context) error{
		"computes": func(s *grouped, ctx context.Context) error { return wait(ctx) },
		"writes": func(s *grouped, ctx context.Context) error {
			return errors.Join(wait(ctx), add(ctx, s.Store, "slow"))
		},
		"reads": func(s *grouped, ctx context.Context) error {
			rows, err := s.DB(ctx).QueryContext(ctx, "SELECT id FROM products")
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				if err := wait(ctx); err != nil {
					return err
				}
			}
			return rows.Err()
		},
		"fails": func(s *grouped, ctx context.Context) error { return errors.Join(wait(ctx), errOurs) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, s *grouped) {
				runs := 0
				var took time.Duration
				var fast, last *error
				began := time.Now()
				slowly := func(ctx context.Context) error {
					runs++
					if err := add(ctx, s.Store, "c"); err != nil {
						return err
					}
					return slow(s, ctx)
				}
				err := s.InTx(s.ctx, func(ctx context.Context) error {
					fast = s.behind(s.ctx, s.add("b"))
					last = s.behind(s.ctx, slowly)
					return add(ctx, s.Store, "a")
				})
				if took = time.Since(began); took > 25*time.Millisecond {
					t.Errorf("the finished write answered after %s", took)
				}
				s.wg.Wait()
				if err != nil || *fast != nil || runs != 2 {
					t.Errorf("%v, %v, %d runs, want two", err, *fast, runs)
				}
				if name == "fails" != errors.Is(*last, errOurs) || name != "fails" && *last != nil {
					t.Errorf("the slow one: %v", *last)
				}
			})
		})
	}
}

// An endless statement is interrupted. If it writes, the whole group is rolled back and the other
// members run again without it.
func TestGroupInterrupts(t *testing.T) {
	const endless = "(SELECT count(*) FROM (WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n) " +
		"SELECT v FROM n))"
	for name, statement := range map[string]string{
		"reads":  "SELECT " + endless,
		"writes": "UPDATE products SET title = 'slow' WHERE " + endless + " > 0",
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ent.Open(t.Context(), ent.Config{Database: storetest.SQLite(t)})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ctx, _ := storetest.Merchant(t, s)
			want := 0
			for shared := false; !shared; { // a group accepts members for 10 ms
				want++
				shared = interrupted(t, ctx, s, statement, want)
			}
		})
	}
}

// interrupted runs a slow statement behind a transaction that adds row number. It reports whether
// both shared a group.
func interrupted(t *testing.T, ctx context.Context, s *ent.Store, statement string, number int) (shared bool) {
	t.Helper()
	var slow error
	var wg sync.WaitGroup
	waits := s.Stats()[1].WaitCount
	err := s.InTx(ctx, func(tx context.Context) error {
		if s.Stats()[1].WaitCount == waits {
			wg.Go(func() {
				runs := 0
				slow = s.InTx(ctx, func(tx context.Context) error {
					runs++
					if shared = runs > 1 || count(t, ctx, s) < number; !shared || runs > 1 {
						return nil
					}
					rows, err := s.DB(tx).QueryContext(tx, statement)
					if err != nil {
						return err
					}
					defer rows.Close()
					rows.Next()
					return rows.Err()
				})
			})
		}
		for s.Stats()[1].WaitCount == waits {
			runtime.Gosched()
		}
		return add(tx, s, fmt.Sprint("a", number))
	})
	wg.Wait()
	if err != nil || slow != nil {
		t.Errorf("%v, %v", err, slow)
		return true
	}
	if n := count(t, ctx, s); n != number {
		t.Errorf("%d rows, want %d", n, number)
	}
	return shared
}

// Background work, which may take long, does not delay the commit of others; nor does an endless
// sequence of members.
func TestGroupIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, s *grouped) {
		err := s.InTx(s.ctx, func(ctx context.Context) error {
			s.behind(ent.Background(s.ctx), func(ctx context.Context) error {
				s.check(t, 1, "a")
				return add(ctx, s.Store, "b")
			})
			s.behind(s.ctx, s.add("c"))
			return add(ctx, s.Store, "a")
		})
		s.wg.Wait()
		if err != nil {
			t.Error(err)
		}
		s.check(t, 2, "a", "b", "c")
	})
	inBubble(t, func(t *testing.T, s *grouped) {
		err := s.InTx(s.ctx, func(ctx context.Context) error {
			s.behind(s.ctx, func(context.Context) error {
				<-time.After(time.Second)
				return nil
			})
			s.behind(s.ctx, func(context.Context) error {
				s.check(t, 1)
				return nil
			})
			return nil
		})
		s.wg.Wait()
		if err != nil {
			t.Error(err)
		}
	})
	inBubble(t, func(t *testing.T, s *grouped) {
		err := s.InTx(s.ctx, func(context.Context) error {
			for i := range 100 {
				s.behind(s.ctx, s.add(fmt.Sprintf("%03d", i)))
			}
			return nil
		})
		s.wg.Wait()
		if n := len(s.handles(t)); err != nil || n != 100 || s.commits.Load() != 2 {
			t.Errorf("%v, %d rows, %d commits, want 2", err, n, s.commits.Load())
		}
	})
}

// A canceled waiter does not get the turn; the next one does.
func TestGroupWaiterLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T, s *grouped) {
		ctx, leave := context.WithCancel(s.ctx)
		var gone, c *error
		err := s.InTx(s.ctx, func(context.Context) error {
			gone = s.behind(ctx, s.add("b"))
			c = s.behind(s.ctx, s.add("c"))
			leave()
			synctest.Wait()
			return nil
		})
		s.wg.Wait()
		if err != nil || !errors.Is(*gone, context.Canceled) || *c != nil {
			t.Errorf("%v, %v, %v", err, *gone, *c)
		}
		s.check(t, 1, "c")
		if err := s.InTx(s.ctx, s.add("d")); err != nil {
			t.Error(err)
		}
		if n := s.Stats()[1].WaitCount; n != 2 {
			t.Errorf("%d waits are counted, want 2", n)
		}
	})
}
