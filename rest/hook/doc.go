// Package hook receives Storefront's webhooks: it verifies and parses deliveries, drops duplicates and
// detects outdated events.
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
// If a framework owns the request, call [ReadBody], [Verify] and [Parse] yourself. The signature covers
// the bytes as received, so nothing may parse the body before.
//
// The sender's guarantees, and what they mean for a receiver:
//
//   - An event is delivered at least once. Drop an event_id that was handled before.
//   - Events of one resource arrive in order; events of different resources may not.
//     Events that a person resends arrive late: compare with [Event.Newer] before
//     you overwrite stored data.
//   - After an answer other than 200-299, or none within 5 s, the delivery is retried
//     for 24 h, and then the endpoint is suspended.
//
// The package imports only the standard library, so it can be copied.
package hook
