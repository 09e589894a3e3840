// Package price computes what a cart costs. A cart, a checkout, a new order and a refund
// by line all ask it, and nothing else adds up money. It knows neither database nor clock:
// what it needs is handed to it, and the same input gives the same amounts.
//
// All amounts are minor units of one currency, however many digits that has. They keep the
// equation of contract section 5 to the unit:
//
//	line:  total = quantity · unit − discount + tax
//	order: subtotal = Σ quantity · unit, discount and tax = Σ of the lines,
//	       total = subtotal − discount + shipping + tax
//
// So "tax" in these is what is added to the prices. Tax that an amount holds already stands
// beside it as the included tax, and is part of no sum: where prices include tax it is that
// of the lines, whose added tax is 0. A unit price without tax would have to be rounded, and
// times the quantity it would no longer be what the shopper was shown. Shipping belongs to
// no line, so an order's shipping is what is paid for it, and the tax on it is always
// included. The tax of an order is the sum of both: [Result.AllTax].
//
// Tax is computed per line, on what is left after the discount, and rounded half up. A
// discount is spread over the lines it is for by their share of its goods; the units that
// rounding leaves go to the largest remainders, and to the first line among equals.
//
// A sum above [currency.MaxMinor] is an error and never wraps.
package price
