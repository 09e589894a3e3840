// Package checkout serves the pages on which shoppers buy, at the hosts of stores: the
// cart, the steps of the checkout, a payment that is only a test, and the page of an
// order. They are the service's own: no theme's code runs there, they need no script,
// and they speak the language of the store.
//
// Each page is a struct of this package and a template of the same name, in one frame.
// All texts come from graph/lib/phrase; a template names one by what [names] calls it.
package checkout
