// Package price computes what a cart costs. Carts, checkouts, new orders and refunds by line all
// use it, and nothing else adds up money. It has no database and no clock: the same input gives the
// same amounts.
//
// All amounts are minor units of one currency, however many digits that has. They satisfy the
// equation of contract section 5 exactly:
//
//	line:  total = quantity · unit − discount + tax
//	order: subtotal = Σ quantity · unit, discount and tax = Σ of the lines,
//	       total = subtotal − discount + shipping + tax
//
// So "tax" in it is tax that is added to the prices. Tax that prices already include is given
// separately as the included tax, and is part of no sum: if prices include tax, it is the tax of
// the lines, whose added tax is 0. (A unit price without tax would have to be rounded, and
// multiplied by the quantity it would differ from what the shopper was shown.) Shipping belongs to
// no line, so an order's shipping is what is paid for it, and its tax is always included. The tax
// of an order is the sum of both: [Result.AllTax].
//
// Tax is computed per line, after the discount, and rounded half up. A discount is spread over its
// lines in proportion to their subtotals; the units that rounding leaves go to the largest
// remainders, and to the first line among equals.
//
// A sum above [currency.MaxMinor] is an error and never overflows.
package price
