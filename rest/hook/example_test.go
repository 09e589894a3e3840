package hook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

// A receiver with a secret for now and one for after a rotation.
func Example() {
	h, err := hook.NewHandler(hook.Config{
		Verifier: hook.Verifier{Secrets: []string{secret, "whsec_bmV4dA=="}},
		Seen:     hook.NewMemory(100_000, 48*time.Hour),
	}, func(_ context.Context, e hook.Event) error {
		fmt.Println(e.Type, e.Resource.ID, e.Sequence)
		return nil // answered with 204; an error makes the sender try again
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 { // at least once: the second time it is dropped
		w := httptest.NewRecorder()
		h.ServeHTTP(w, delivery(sample))
		fmt.Println(w.Code)
	}
	// Output:
	// product.updated prod_1 4
	// 204
	// 204
}

// Call Verify yourself if a framework owns the request. The body has to be the raw bytes.
func ExampleVerify() {
	at := time.Unix(1767225600, 0)
	h := http.Header{}
	h.Set("x-service-timestamp", "1767225600")
	h.Set("x-service-signature", "1efbfa708d88c9b6b9862ef2a1d7188c11274bbee1a09a8031e4edfce7f6442f")
	const secret = "whsec_WY+yKqwlAlxSubNXVLrJs7A7fdEn8CinTC92a70Bs9w="
	fmt.Println(hook.Verify(secret, h, []byte("{}"), at))
	fmt.Println(errors.Is(hook.Verify(secret, h, []byte("{ }"), at), hook.ErrSignature))
	fmt.Println(hook.Verify(secret, h, []byte("{}"), at.Add(time.Hour)))
	// Output:
	// <nil>
	// true
	// timestamp is more than 300 seconds away
}

// Every delivery also has the Standard Webhooks headers.
func ExampleVerifier() {
	h := http.Header{}
	h.Set("webhook-id", "evt_0")
	h.Set("webhook-timestamp", "1767225600")
	h.Set("webhook-signature", "v1,2+LRv0tXq7Cs9RIVpDKlbS74IYhHvDXTrhOCt3w2PVc=")
	v := hook.Verifier{Secrets: []string{"whsec_WY+yKqwlAlxSubNXVLrJs7A7fdEn8CinTC92a70Bs9w="}, Standard: true}
	fmt.Println(v.Verify(h, []byte("{}"), time.Unix(1767225600, 0)))
	// Output: <nil>
}

// An event that a person resent later does not overwrite newer data.
func ExampleLatest() {
	latest := hook.NewLatest(10_000)
	write := func(sequence int64) {
		e := hook.Event{Resource: hook.Resource{ID: "ord_1"}, Sequence: sequence}
		if !latest.Newer(e) {
			fmt.Println("event", sequence, "is out of date")
			return
		}
		fmt.Println("event", sequence, "is written")
		latest.Keep(e)
	}
	write(1)
	write(3)
	write(2)
	// Output:
	// event 1 is written
	// event 3 is written
	// event 2 is out of date
}
