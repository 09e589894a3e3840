package fleet

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// TellEvery is how often a process tells the others what it let through of the rates of
// credentials.
const TellEvery = 900 * time.Millisecond

// Tell writes what tell returns for a fleet of so many servers into the process's row,
// where the others find it. It is a statement where that is something new, and none while
// it is nothing. One call at a time, every [TellEvery].
func (m *Member) Tell(ctx context.Context, tell func(servers int64) []byte) error {
	rates := tell(m.Servers())
	if bytes.Equal(rates, m.told) {
		return nil
	}
	err := m.Store.InTx(ctx, func(ctx context.Context) error {
		clock, now := m.Store.QueueClock()
		args := append(append([]any{rates}, now...), m.ID)
		_, err := m.Store.DB(ctx).ExecContext(ctx, "UPDATE processes SET rates = ?, rates_at = "+clock+" WHERE id = ?",
			args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("tell of rates: %w", err)
	}
	m.told = rates
	return nil
}
