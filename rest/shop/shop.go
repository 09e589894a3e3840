// Package shop serves the storefronts: the pages that the customers of a store
// see at its own host (contract, section 9).
package shop
