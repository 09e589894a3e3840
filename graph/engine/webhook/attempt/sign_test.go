package attempt_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
)

// verify is a receiver: it implements the rules for verification without the sender's code.
func verify(h http.Header, body []byte, now time.Time, secrets ...string) error {
	if err := verifySpec(h, body, now, secrets[0]); err != nil {
		return err
	}
	for _, s := range secrets {
		if err := verifyStandard(h, body, s); err != nil {
			return err
		}
	}
	return nil
}

func sum(key []byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		io.WriteString(mac, p)
	}
	return mac.Sum(nil)
}

// verifySpec applies the four rules of the specification, section 6.
func verifySpec(h http.Header, body []byte, now time.Time, secret string) error {
	timestamp, signature := h.Get("x-service-timestamp"), h.Get("x-service-signature")
	if timestamp == "" || signature == "" {
		return fmt.Errorf("a header is missing")
	}
	at, err := strconv.ParseFloat(timestamp, 64)
	if err != nil || math.IsInf(at, 0) || math.IsNaN(at) || math.Abs(float64(now.Unix())-at) > 300 {
		return fmt.Errorf("timestamp %q", timestamp)
	}
	want := hex.EncodeToString(sum([]byte(secret), timestamp, ".", string(body)))
	if len(signature) != len(want) || subtle.ConstantTimeCompare([]byte(signature), []byte(want)) != 1 {
		return fmt.Errorf("x-service-signature is %q, want %q", signature, want)
	}
	return nil
}

// verifyStandard looks for a Standard Webhooks signature by the secret.
func verifyStandard(h http.Header, body []byte, secret string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	want := sum(key, h.Get("webhook-id"), ".", h.Get("webhook-timestamp"), ".", string(body))
	for value := range strings.SplitSeq(h.Get("webhook-signature"), " ") {
		version, encoded, _ := strings.Cut(value, ",")
		got, err := base64.StdEncoding.DecodeString(encoded)
		if err == nil && version == "v1" && hmac.Equal(got, want) {
			return nil
		}
	}
	return fmt.Errorf("webhook-signature %q has no value for the secret", h.Get("webhook-signature"))
}

// The vectors were computed by an independent program.
type vectors struct {
	Sign []struct {
		Secret    string
		Timestamp int64
		Body      string `json:"body_base64"`
		Spec      string `json:"x-service-signature"`
		ID        string `json:"webhook-id"`
		Standard  string `json:"webhook-signature"`
	}
}

func TestVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/webhook-signature.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil || len(v.Sign) < 8 {
		t.Fatalf("%d vectors, %v", len(v.Sign), err)
	}
	for _, tc := range v.Sign {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Unix(tc.Timestamp, 0))) // the bubble's clock starts in 2000
			sent, err := base64.StdEncoding.DecodeString(tc.Body)
			if err != nil {
				t.Fatal(err)
			}
			target, err := attempt.NewTarget("http://shop.example/", tc.Secret)
			if err != nil {
				t.Fatal(err)
			}
			var header http.Header
			var body []byte
			c := piped(t, func(w http.ResponseWriter, r *http.Request) {
				header = r.Header
				body, _ = io.ReadAll(r.Body)
			})
			got := c.Do(t.Context(), attempt.Request{Target: target, Body: sent, EventID: tc.ID})
			if got.Outcome != attempt.Delivered || string(body) != string(sent) {
				t.Errorf("%s: %+v, body %q", tc.ID, got, body)
			}
			for name, want := range map[string]string{
				"x-service-timestamp": strconv.FormatInt(tc.Timestamp, 10), "x-service-signature": tc.Spec,
				"webhook-timestamp": strconv.FormatInt(tc.Timestamp, 10), "webhook-signature": tc.Standard,
				"webhook-id": tc.ID,
			} {
				if header.Get(name) != want {
					t.Errorf("%s: %s is %q, want %q", tc.ID, name, header.Get(name), want)
				}
			}
		})
	}
}

// While a secret is being replaced, signatures by both verify; the header with one value uses the
// first.
func TestTwoSecrets(t *testing.T) {
	var header http.Header
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) { header = r.Header })
	client(t).Do(t.Context(), request(t, address, "{}"))
	if err := verify(header, []byte("{}"), time.Now(), secretA, secretB); err != nil {
		t.Error(err)
	}
	if n := strings.Count(header.Get("webhook-signature"), "v1,"); n != 2 {
		t.Errorf("%d values, want 2", n)
	}
	if verifySpec(header, []byte("{}"), time.Now(), secretB) == nil ||
		verifyStandard(header, []byte("{ }"), secretA) == nil {
		t.Error("the verifier accepts what it must not")
	}
}

// Many attempts share a target's states.
func TestConcurrent(t *testing.T) {
	var mu sync.Mutex
	failed := map[string]bool{}
	address := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := verify(r.Header, body, time.Now(), secretA, secretB); err != nil {
			mu.Lock()
			failed[err.Error()] = true
			mu.Unlock()
		}
	})
	c, r := client(t), request(t, address, "")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 25 {
				r := r
				r.Body = []byte(strings.Repeat(strconv.Itoa(i), n*97))
				if got := c.Do(t.Context(), r); got.Outcome != attempt.Delivered {
					t.Errorf("%+v", got)
				}
			}
		})
	}
	wg.Wait()
	if len(failed) > 0 {
		t.Error(failed)
	}
}

func TestNewTarget(t *testing.T) {
	const address = "https://user:token@shop.example/token"
	for name, tc := range map[string]struct {
		address string
		secrets []string
	}{
		"no secret":         {address, nil},
		"no prefix":         {address, []string{secretA[6:]}},
		"empty secret":      {address, []string{"whsec_"}},
		"not base64":        {address, []string{"whsec_token!"}},
		"no padding":        {address, []string{strings.TrimRight(secretA, "=")}},
		"bad second secret": {address, []string{secretA, "whsec_token!"}},
		"another protocol":  {"ftp://shop.example/token", []string{secretA}},
		"no host":           {"https:///token", []string{secretA}},
		"not a URL":         {"token\x00", []string{secretA}},
	} {
		target, err := attempt.NewTarget(tc.address, tc.secrets...)
		if err == nil || target != nil || strings.Contains(err.Error(), "token") ||
			strings.Contains(err.Error(), secretA[6:]) {
			t.Errorf("%s: %v, %v", name, target, err)
		}
	}
	target, err := attempt.NewTarget("https://shop.example/token", secretA)
	if err != nil || fmt.Sprint(target) != "https://shop.example" ||
		target.LogValue().String() != "https://shop.example" {
		t.Errorf("%v, %v", target, err)
	}
}
