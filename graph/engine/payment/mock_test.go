package payment_test

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/storefront-go/storefront/graph/engine/payment"
	"github.com/storefront-go/storefront/graph/engine/payment/paymenttest"
)

// The requests match Stripe's own description of its API: stripe-mock validates each parameter. Its
// responses are made up.
func TestStripeMock(t *testing.T) {
	named := os.Getenv("STOREFRONT_TEST_STRIPE_MOCK")
	path, err := exec.LookPath(cmp.Or(named, "stripe-mock"))
	switch {
	case err != nil && named != "":
		t.Fatal(err)
	case err != nil:
		t.Skip("there is no stripe-mock on the PATH, nor is one named in STOREFRONT_TEST_STRIPE_MOCK")
	}
	base, ctx := startMock(t, path), t.Context()
	s := payment.NewStripe(base)
	made := must[payment.Session](t)(s.Begin(ctx, paymenttest.Key, purchase("one")))
	if made.Reference == "" {
		t.Errorf("began %+v", made)
	}
	must[payment.Session](t)(s.Look(ctx, paymenttest.Key, made.Reference))
	must[payment.Session](t)(s.Expire(ctx, paymenttest.Key, made.Reference))
	must[bool](t)(s.Probe(ctx, paymenttest.Key, "EUR"))
	for _, again := range []bool{false, true} {
		back := must[string](t)(s.Refund(ctx, paymenttest.Key, payment.Refund{Key: "row", Payment: "pi_123",
			Again: again, AmountMinor: 980, Currency: "EUR"}))
		must[payment.Outcome](t)(s.Refunded(ctx, paymenttest.Key, back))
	}
	if _, err := s.Begin(ctx, "sk_none", purchase("x")); err == nil {
		t.Error("a malformed key is accepted")
	}
}

// startMock runs stripe-mock at a free port until the test ends.
func startMock(t *testing.T, path string) (base string) {
	t.Helper()
	cmd := exec.Command(path, "-http-addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	var said []byte
	for part := make([]byte, 1024); ; {
		n, err := out.Read(part)
		said = append(said, part[:n]...)
		if _, after, ok := bytes.Cut(said, []byte("address: ")); ok {
			if address, _, ok := bytes.Cut(after, []byte("\n")); ok {
				go io.Copy(io.Discard, out)
				return "http://" + string(bytes.TrimSpace(address))
			}
		}
		if err != nil {
			t.Fatalf("stripe-mock ended: %s (%v)", said, err)
		}
	}
}
