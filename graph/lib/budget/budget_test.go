package budget_test

import (
	"errors"
	"testing"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/budget"
)

const mega = 1 << 20

func codeOf(err error) fault.Kind {
	f, _ := errors.AsType[*fault.Error](err)
	if f == nil {
		return ""
	}
	return f.Kind
}

// TestLedger: small answers do not count, stores and the service have their limits, and everything
// is released.
func TestLedger(t *testing.T) {
	l := budget.NewLedger()
	fill := func(store xid.ID) (all []*budget.Answer, refused fault.Kind) {
		for {
			a := l.Open(store)
			if err := a.Read(limit.Answer); err != nil {
				a.Close()
				return all, codeOf(err)
			}
			all = append(all, a)
		}
	}
	var open []*budget.Answer
	first, refused := fill(xid.New())
	if n := len(first); n < 8 || n > 10 || refused != fault.RateLimited {
		t.Errorf("one store has %d answers of 8 MiB at once, %s", n, refused)
	}
	open = append(open, first...)
	for {
		more, refused := fill(xid.New())
		open = append(open, more...)
		if refused == fault.Unavailable {
			break
		}
	}
	if n := len(open); n < 30 || n > 40 {
		t.Errorf("all stores have %d answers of 8 MiB at once", n)
	}
	small := l.Open(xid.New())
	if err := small.Read(mega); err != nil {
		t.Errorf("a small answer: %v", err)
	}
	small.Close()
	for _, a := range open {
		a.Close()
		a.Close() // as after a panic
	}
	if l.Held() != 0 {
		t.Errorf("%d bytes are held", l.Held())
	}
}

// TestAnswer: reads and writes have a bound each, and forgotten rows do not count.
func TestAnswer(t *testing.T) {
	a := budget.NewLedger().Open(xid.New())
	if err := errors.Join(a.Read(limit.Answer), a.Write(limit.Answer)); err != nil {
		t.Fatal(err)
	}
	if err := a.Read(1); codeOf(err) != fault.AnswerTooLarge {
		t.Errorf("one byte more: %v", err)
	}
	if err := a.Write(1); codeOf(err) != fault.AnswerTooLarge {
		t.Errorf("one byte more is written: %v", err)
	}
	a.Forget()
	if err := a.Read(limit.Answer); err != nil {
		t.Errorf("after the rows were given up: %v", err)
	}
	if err := a.Settle(mega); err != nil {
		t.Error(err)
	}
	var none *budget.Answer
	none.Close()
}
