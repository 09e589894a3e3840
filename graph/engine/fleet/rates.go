package fleet

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// PublishEvery is how often a process publishes the requests it admitted, by credential.
const PublishEvery = 900 * time.Millisecond

// PublishRates writes the rates that rates returns for the given number of servers into the process's row,
// where the other processes read them. It skips the statement if they have not changed. Call it
// from one goroutine, every [PublishEvery].
func (m *Member) PublishRates(ctx context.Context, rates func(servers int64) []byte) error {
	current := rates(m.Servers())
	if bytes.Equal(current, m.lastRates) {
		return nil
	}
	err := m.Store.InTx(ctx, func(ctx context.Context) error {
		clock, now := m.Store.QueueClock()
		args := append(append([]any{current}, now...), m.ID)
		_, err := m.Store.DB(ctx).ExecContext(ctx, "UPDATE processes SET rates = ?, rates_at = "+clock+" WHERE id = ?",
			args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("publish rates: %w", err)
	}
	m.lastRates = current
	return nil
}
