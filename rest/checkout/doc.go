// Package checkout serves the pages on which shoppers buy, at the hosts of stores: the cart, the
// steps of the checkout, a test payment, the page of an order and the shopper's account. They are
// the service's own: they run no theme code, need no script, and use the language of the store.
//
// Each page is a struct of this package and a template of the same name, in one frame. All texts
// come from graph/lib/phrase; templates refer to them by their keys.
package checkout
