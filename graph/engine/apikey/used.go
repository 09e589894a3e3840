package apikey

import (
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db/apikey"
	"github.com/storefront-go/storefront/ent/db/grant"
	"github.com/storefront-go/storefront/ent/db/stafftoken"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
)

// WriteUsed writes last_used_at of the credentials that were used since the last call. Requests
// only mark them in memory; call it about once a minute.
func (k *Keeper) WriteUsed(ctx context.Context) error {
	now := micros.Now()
	var failed error
	write := func(e *entry) {
		if ctx.Err() != nil || !e.used.Swap(false) {
			return
		}
		if err := k.writeUsed(ctx, e, now); err != nil {
			e.used.Store(true)
			failed = fmt.Errorf("write last use: %w", err)
		}
	}
	k.mu.Lock()
	unwritten := k.unwritten
	k.unwritten = nil
	k.mu.Unlock()
	for _, e := range unwritten {
		write(e)
	}
	for _, e := range k.cache.Values() {
		write(e)
	}
	k.keep(unwritten)
	return failed
}

func (k *Keeper) keep(unwritten []*entry) {
	unwritten = slices.DeleteFunc(unwritten, func(e *entry) bool { return !e.used.Load() })
	k.mu.Lock()
	defer k.mu.Unlock()
	k.unwritten = append(unwritten, k.unwritten...)
}

func (k *Keeper) writeUsed(ctx context.Context, e *entry, now micros.Time) error {
	ctx = viewer.Operator(ctx, e.viewer.Store)
	return k.store.InTx(ctx, func(ctx context.Context) error {
		client := k.store.DB(ctx)
		switch e.kind {
		case Staff:
			return client.StaffToken.Update().Where(stafftoken.ID(e.viewer.Credential)).SetLastUsedAt(now).Exec(ctx)
		case Access:
			return client.Grant.Update().Where(grant.ID(e.viewer.Grant)).SetLastUsedAt(now).Exec(ctx)
		}
		return client.APIKey.Update().Where(apikey.ID(e.viewer.Credential)).SetLastUsedAt(now).Exec(ctx)
	})
}

// writeFirstUse records the first use of an access token from a refresh, before the request goes
// on: the answer to that refresh is not repeated any more.
func (k *Keeper) writeFirstUse(ctx context.Context, e *entry) error {
	ctx = viewer.Operator(ctx, e.viewer.Store)
	return k.store.InTx(ctx, func(ctx context.Context) error {
		return k.store.DB(ctx).Grant.Update().
			Where(grant.ID(e.viewer.Grant), grant.AnswerToken(e.viewer.Credential)).ClearAnswer().Exec(ctx)
	})
}
