package schema

import (
	"entgo.io/ent"
)

// ConsentTicket is the mark that a ticket of the consent screen was spent; its
// primary key lets only one answer through. Kept as long as tickets live.
type ConsentTicket struct{ ent.Schema }

// Mixin implements ent.Interface.
func (ConsentTicket) Mixin() []ent.Mixin {
	return []ent.Mixin{Tenant{}}
}
