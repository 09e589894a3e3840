package ent

import "context"

// IdleTime is what the settings of a session say of transactions that stand still.
const IdleTime = idleTime

// Delayed returns how many statements of the transaction of ctx were not sent yet.
func Delayed(ctx context.Context) int {
	return len(ctx.Value(txKey{}).(*tx).later.texts)
}
