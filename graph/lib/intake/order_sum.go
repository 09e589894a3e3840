package intake

import (
	"fmt"

	"github.com/storefront-go/storefront/ent/currency"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/graph/lib/price"
)

// orderSums are the sums of an order as a file of another system has them.
type orderSums struct {
	goods, shipping, discount, lineDiscount, tax, extra int64
	total                                               *int64
}

// sums spreads the discount and the tax of an order over its lines, where this service has them. Files
// differ in whether the discount of the order includes those of the lines, and whether prices include
// taxes: the reading that adds up to the total is taken. If none does, a line or a discount makes up for it.
func (m *orderMapper) sums(source string) {
	s := orderSums{shipping: m.zero(m.rows[0], "shipping"), discount: m.zero(m.rows[0], "discount"),
		tax: m.zero(m.rows[0], "tax"), total: m.money(m.rows[0], "total")}
	charges := m.charges(&s)
	if !m.worth(&s) {
		return
	}
	off, tax, ok := s.reading()
	if !ok {
		var rest int64
		if off, tax, rest = s.nearest(); off > s.goods {
			m.wrong("The total of %s is below the shipping, the taxes and the charges.", m.decimal(*s.total))
			return
		}
		m.note("The lines, the shipping, the taxes and the discount add up to %s, and the file says a total of %s.",
			m.decimal(s.sum(s.discount, s.tax)), m.decimal(*s.total))
		if rest > 0 {
			charges = append(charges, charge("Other charges", rest))
		}
	} else if net := m.money(m.rows[0], "net_subtotal"); net != nil && source == Shopify && *net != s.goods-off {
		m.note("The lines and the discount add up to %s, and the file says a subtotal of %s.",
			m.decimal(s.goods-off), m.decimal(*net))
	}
	m.spread(s, off, tax)
	list, _ := m.members["line_items"].([]map[string]any)
	m.members["line_items"] = append(list, charges...)
	for _, member := range []string{"discount_minor", "tax_minor"} {
		delete(m.members, member)
	}
	m.members["total_minor"] = *s.total
	if tax == 0 && s.tax > 0 {
		m.members["included_tax_minor"] = s.tax
	}
}

// charges returns duties, tips and fees as lines.
func (m *orderMapper) charges(s *orderSums) (list []map[string]any) {
	for _, c := range [][2]string{{"duties", "Duties"}, {"tip", "Tip"}, {"fees", "Fees"}} {
		v := m.zero(m.rows[0], c[0])
		if v == 0 {
			continue
		}
		s.extra = min(s.extra+v, currency.MaxMinor)
		list = append(list, charge(c[1], v))
	}
	return list
}

func charge(title string, minor int64) map[string]any {
	return map[string]any{"title": title, "quantity": 1, "unit_price_minor": minor, "tax_minor": 0,
		"requires_shipping": false}
}

// worth sets what the lines cost. A sum that its quantity does not divide gets the next unit price, and the
// rest as a discount.
func (m *orderMapper) worth(s *orderSums) bool {
	for _, l := range m.lines {
		n, _ := l.members["quantity"].(int64)
		unit, ok := l.members["unit_price_minor"].(int64)
		if sum := m.money(l.row, "line_item_subtotal"); sum != nil && n > 0 {
			if unit = (*sum + n - 1) / n; unit*n != *sum {
				m.note("Line %d: the price of a unit is rounded up, and the difference is a discount.", l.row.line)
			}
			l.members["unit_price_minor"], ok = unit, true
		}
		if n < 1 || n > limit.Quantity || !ok {
			m.wrong("Line %d: an order line needs a price and a quantity from 1 to %d.", l.row.line, limit.Quantity)
			return false
		}
		var fits bool
		if l.gross, fits = currency.Mul(n, unit); fits {
			s.goods, fits = currency.Add(s.goods, l.gross)
		}
		l.less, _ = l.members["discount_minor"].(int64)
		if net := m.money(l.row, "line_item_net"); net != nil {
			l.less = l.gross - *net
		}
		if !fits || l.less < 0 || l.less > l.gross {
			m.wrong("Line %d: its discount exceeds its price, or the sum is too large.", l.row.line)
			return false
		}
		s.lineDiscount += l.less
	}
	return m.Problem == ""
}

func (s *orderSums) sum(off, tax int64) int64 { return s.goods - off + s.shipping + s.extra + tax }

// reading returns the discount and the tax beside the prices with which the order adds up.
func (s *orderSums) reading() (off, tax int64, ok bool) {
	if s.total == nil {
		s.total = new(s.sum(max(s.discount, s.lineDiscount), s.tax))
	}
	for _, tax := range []int64{s.tax, 0} {
		for _, off := range []int64{s.discount, s.lineDiscount, min(s.discount+s.lineDiscount, currency.MaxMinor), 0} {
			if off <= s.goods && s.sum(off, tax) == *s.total {
				return off, tax, true
			}
		}
	}
	return 0, 0, false
}

// nearest returns a discount, a tax and a rest with which an order has its total although its parts do not
// add up: the rest is not negative, and the discount is greater instead, maybe than what the goods cost.
func (s *orderSums) nearest() (off, tax, rest int64) {
	off = min(max(s.discount, s.lineDiscount), s.goods)
	for _, tax = range []int64{s.tax, 0} {
		if rest = *s.total - s.sum(off, tax); rest >= 0 {
			return off, tax, rest
		}
	}
	return off - rest, tax, 0
}

// spread sets the discounts and the taxes of the lines. Discounts of lines stay where they are.
func (m *orderMapper) spread(s orderSums, off, tax int64) {
	own := off == s.lineDiscount || off == s.discount+s.lineDiscount
	weights := make([]int64, len(m.lines))
	for i, l := range m.lines {
		if own {
			l.off, off = l.less, off-l.less
		}
		weights[i] = l.gross - l.off
	}
	var net int64
	for i, part := range price.Spread(off, weights) {
		m.lines[i].off += part
		weights[i] -= part
		net += weights[i]
	}
	shared := price.Spread(min(tax, net), weights)
	for i, l := range m.lines {
		l.members["discount_minor"], l.members["tax_minor"] = l.off, shared[i]
		if i == 0 {
			l.members["tax_minor"] = shared[i] + tax - min(tax, net) // of the shipping of gifts
		}
	}
}

// decimal returns an amount as files have it.
func (m *orderMapper) decimal(minor int64) string {
	digits, _ := currency.Digits(currency.Code(m.currency))
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	text := fmt.Sprintf("%0*d", digits+1, minor)
	if digits == 0 {
		return sign + text
	}
	return sign + text[:len(text)-digits] + "." + text[len(text)-digits:]
}
