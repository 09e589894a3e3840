package demo

import "math/rand/v2"

// money is how far the payment of an order gets.
type money int

const (
	unpaid money = iota
	partPaid
	paid
	partRefunded
	refunded
)

// goods is how far the fulfillment of an order gets.
type goods int

const (
	kept goods = iota
	partSent
	sent
)

// end is how an order ends.
type end int

const (
	open end = iota
	completed
	cancelled
	cancelledWithRefund
)

// scenario is the path of one order through the state machines.
type scenario struct {
	money money
	goods goods
	end   end
}

// scenarios returns all combinations of states that the machines of contract section 6 reach:
// payment and fulfillment are independent while the order is open, a completed order was fulfilled,
// a canceled one was not shipped at all.
func scenarios() (list []scenario) {
	for m := unpaid; m <= refunded; m++ {
		for g := kept; g <= sent; g++ {
			list = append(list, scenario{m, g, open})
		}
		list = append(list, scenario{m, sent, completed})
	}
	return append(list,
		scenario{unpaid, kept, cancelled}, // voided
		scenario{partPaid, kept, cancelled},
		scenario{paid, kept, cancelled},
		scenario{partRefunded, kept, cancelled},
		scenario{paid, kept, cancelledWithRefund},
	)
}

var usual = []struct {
	part int
	scenario
}{
	{58, scenario{paid, sent, completed}},
	{10, scenario{paid, kept, open}},
	{8, scenario{paid, sent, open}},
	{8, scenario{unpaid, kept, open}},
	{4, scenario{paid, partSent, open}},
	{4, scenario{partRefunded, sent, completed}},
	{3, scenario{refunded, sent, completed}},
	{3, scenario{unpaid, kept, cancelled}},
	{2, scenario{paid, kept, cancelledWithRefund}},
}

// choose returns the path of order i of n: every tenth order, and every order of a small demo,
// takes the next of all paths; the others take usual ones.
func choose(all []scenario, i, n int, r *rand.Rand) scenario {
	if n < 10*len(all) {
		return all[i%len(all)]
	}
	if i%10 == 0 {
		return all[i/10%len(all)]
	}
	p := r.IntN(100)
	for _, u := range usual {
		if p -= u.part; p < 0 {
			return u.scenario
		}
	}
	return usual[0].scenario
}
