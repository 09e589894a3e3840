// Package hook is for programs that receive Storefront's webhooks. It verifies
// deliveries, reads them, drops duplicates and detects what is out of date.
//
// [Handler] does all of it for a net/http server:
//
//	h, err := hook.NewHandler(hook.Config{
//		Verifier: hook.Verifier{Secrets: []string{secret}},
//		Seen:     hook.NewMemory(100_000, 48*time.Hour),
//	}, func(ctx context.Context, e hook.Event) error {
//		return queue.Add(ctx, e) // answer first, work later: the sender waits 5 s
//	})
//
// Where a framework owns the request, [ReadBody], [Verify] and [Parse] are the
// same three steps by hand. What matters there: the signature covers the bytes as
// they came, so nothing may parse the body before.
//
// What the sender promises, and what follows from it for a receiver:
//
//   - A delivery comes at least once. Drop an event_id that was handled before.
//   - Events of one resource come in order, those of different resources do not.
//     What a person sends again comes late: compare with [Event.Newer] before
//     stored data is overwritten.
//   - An answer other than 200-299, or none within 5 s, is tried again for 24 h,
//     and then the endpoint is suspended.
//
// The package imports the standard library alone, so it can be copied.
package hook
