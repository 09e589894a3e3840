package schema

import (
	"entgo.io/ent"
)

// ConsentTicket marks a ticket of the consent screen as used; its primary key admits only one
// answer. It is kept as long as a ticket is valid.
type ConsentTicket struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ConsentTicket) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}
