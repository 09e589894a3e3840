package hook_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/rest/hook"
)

// vectors were computed by another program.
type vectors struct {
	Sign []struct {
		Secret            string
		Timestamp         int64
		Body              []byte `json:"body_base64"`
		Signature         string `json:"x-service-signature"`
		ID                string `json:"webhook-id"`
		StandardSignature string `json:"webhook-signature"`
	}
	Receiver struct {
		Secret         string
		Body           []byte `json:"body_base64"`
		Accept, Refuse []struct {
			Why     string
			Headers map[string]string
			Now     int64
		}
	}
}

func readVectors(t testing.TB) (v vectors) {
	t.Helper()
	b, err := os.ReadFile("testdata/webhook-signature.json")
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Sign) < 8 || len(v.Receiver.Accept) < 1 || len(v.Receiver.Refuse) < 9 {
		t.Fatalf("only %d, %d and %d vectors", len(v.Sign), len(v.Receiver.Accept), len(v.Receiver.Refuse))
	}
	return v
}

// headers builds headers from pairs; a repeated name gives a repeated header.
func headers(pairs ...string) http.Header {
	h := http.Header{}
	for pair := range slices.Chunk(pairs, 2) {
		h.Add(pair[0], pair[1])
	}
	return h
}

func TestVectors(t *testing.T) {
	v := readVectors(t)
	for i, s := range v.Sign {
		timestamp, now := strconv.FormatInt(s.Timestamp, 10), time.Unix(s.Timestamp, 0)
		own := headers(hook.HeaderTimestamp, timestamp, hook.HeaderSignature, s.Signature)
		if err := hook.Verify(s.Secret, own, s.Body, now); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		if err := hook.Verify(s.Secret, own, append(slices.Clone(s.Body), ' '),
			now); !errors.Is(err, hook.ErrSignature) {
			t.Errorf("%d with another body: %v", i, err)
		}
		if got := hook.Signature(s.Secret, timestamp, s.Body); got != s.Signature {
			t.Errorf("%d: signature %s, want %s", i, got, s.Signature)
		}
		standard := headers(hook.HeaderStandardID, s.ID, hook.HeaderStandardTimestamp, timestamp,
			hook.HeaderStandardSignature, s.StandardSignature)
		verifier := hook.Verifier{Secrets: []string{s.Secret}, Standard: true}
		if err := verifier.Verify(standard, s.Body, now); err != nil {
			t.Errorf("%d, Standard Webhooks: %v", i, err)
		}
		standard.Set(hook.HeaderStandardID, "evt_other")
		if err := verifier.Verify(standard, s.Body, now); !errors.Is(err, hook.ErrSignature) {
			t.Errorf("%d, Standard Webhooks with another id: %v", i, err)
		}
	}
	r := v.Receiver
	for accept, list := range map[bool][]struct {
		Why     string
		Headers map[string]string
		Now     int64
	}{true: r.Accept, false: r.Refuse} {
		for _, c := range list {
			h := http.Header{}
			for name, value := range c.Headers {
				h.Set(name, value)
			}
			if err := hook.Verify(r.Secret, h, r.Body, time.Unix(c.Now, 0)); (err == nil) != accept {
				t.Errorf("%s: %v", c.Why, err)
			}
		}
	}
}

// A sender with the secret could sign any of these timestamps, so each has a matching signature:
// the rule about timestamps has to refuse it.
func TestAttacks(t *testing.T) {
	const secret, stamp = "whsec_DG9kWUOGvb/E3uvdhwpwfO/xyvbsO/+5Jsg87K+fMVw=", "1767311999"
	now, body := time.Unix(1767311999, 0), []byte(`{"event_id":"evt_1"}`)
	good := hook.Signature(secret, stamp, body)
	signed := func(timestamp string) []string {
		return []string{hook.HeaderTimestamp, timestamp, hook.HeaderSignature, hook.Signature(secret, timestamp, body)}
	}
	with := func(signature string) []string {
		return []string{hook.HeaderTimestamp, stamp, hook.HeaderSignature, signature}
	}
	tests := []struct {
		name string
		h    []string
		want error
	}{
		{"good", signed(stamp), nil},
		{"leading zeros", signed("0001767311999"), nil},
		{"300 s old", signed("1767311699"), nil},
		{"300 s ahead", signed("1767312299"), nil},
		{"301 s old", signed("1767311698"), hook.ErrStale},
		{"301 s ahead", signed("1767312300"), hook.ErrStale},
		{"zero", signed("0"), hook.ErrStale},
		{"milliseconds", signed("1767311999000"), hook.ErrStale},
		{"the most digits", signed("999999999999999"), hook.ErrStale},
		{"no header", nil, hook.ErrMissingHeader},
		{"no timestamp", signed(stamp)[2:], hook.ErrMissingHeader},
		{"no signature", signed(stamp)[:2], hook.ErrMissingHeader},
		{"empty timestamp", signed(""), hook.ErrMissingHeader},
		{"empty signature", with(""), hook.ErrMissingHeader},
		{"two timestamps", append(signed(stamp), hook.HeaderTimestamp, stamp), hook.ErrRepeatedHeader},
		{"two signatures", append(signed(stamp), hook.HeaderSignature, good), hook.ErrRepeatedHeader},
		{"joined timestamps", signed(stamp + ", " + stamp), hook.ErrTimestamp},
		{"joined signatures", with(good + ", " + good), hook.ErrSignature},
		{"upper case", with(strings.ToUpper(good)), hook.ErrSignature},
		{"truncated", with(good[:63]), hook.ErrSignature},
		{"one digit", with(good[:1]), hook.ErrSignature},
		{"longer", with(good + "0"), hook.ErrSignature},
		{"surrounded", with(" " + good), hook.ErrSignature},
		{"prefixed", with("sha256=" + good), hook.ErrSignature},
		{"another timestamp signed", []string{hook.HeaderTimestamp, "1767312000", hook.HeaderSignature, good},
			hook.ErrSignature},
		{"another secret", with(hook.Signature("whsec_", stamp, body)), hook.ErrSignature},
		{"no secret", with(hook.Signature("", stamp, body)), hook.ErrSignature},
		{"timestamp before signature", []string{hook.HeaderTimestamp, "NaN", hook.HeaderSignature, "x"},
			hook.ErrTimestamp},
	}
	for _, timestamp := range []string{"NaN", "nan", "Inf", "+Inf", "-Inf", "Infinity", "1e400", "1.767311999e9",
		"0x1.a557a5fp+30", "0x6957017f", "0b1", "1_767_311_999", " 1767311999", "1767311999 ", "\t1767311999",
		"1767311999\n", "1767311999.0", "1767311999.", ".5", "+1767311999",
		"-1767311999", "--1", "1 767", "1,767,311,999", "١٧٦٧٣١١٩٩٩", "１７６７３１１９９９", "1767311999\x00",
		"2026-01-01T23:59:59Z", "now", "true", "9223372036854775808",
		strings.Repeat("9", 4000), strings.Repeat("0", 4000)} {
		tests = append(tests, struct {
			name string
			h    []string
			want error
		}{"timestamp " + strconv.Quote(timestamp[:min(len(timestamp), 24)]), signed(timestamp), hook.ErrTimestamp})
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			err := hook.Verify(secret, headers(tc.h...), body, now)
			if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if err != nil && (strings.Contains(err.Error(), good) || strings.Contains(err.Error(), secret)) {
				t.Errorf("the error reveals too much: %v", err)
			}
		})
	}
	if err := hook.Verify(secret, headers(signed(stamp)...), body,
		now.Add(300*time.Second+time.Nanosecond)); !errors.Is(err, hook.ErrStale) {
		t.Errorf("just above 300 s: %v", err)
	}
}

func TestSecrets(t *testing.T) {
	v := readVectors(t)
	was, is := v.Sign[1], v.Sign[0].Secret
	now := time.Unix(was.Timestamp, 0)
	timestamp := strconv.FormatInt(was.Timestamp, 10)
	own := headers(hook.HeaderTimestamp, timestamp, hook.HeaderSignature, was.Signature)
	standard := func(signature string) http.Header {
		return headers(hook.HeaderStandardID, was.ID, hook.HeaderStandardTimestamp, timestamp,
			hook.HeaderStandardSignature, signature)
	}
	for _, tc := range []struct {
		name    string
		secrets []string
		// standard headers are sent, and asked for, where it is not empty
		standard string
		want     error
	}{
		{name: "the old one of two", secrets: []string{is, was.Secret}},
		{name: "neither of two", secrets: []string{is, v.Sign[2].Secret}, want: hook.ErrSignature},
		{name: "none", want: hook.ErrNoSecret},
		{name: "an empty one", secrets: []string{was.Secret, ""}, want: hook.ErrNoSecret},
		{name: "two signatures", secrets: []string{was.Secret}, standard: "v1,AAAA " + was.StandardSignature},
		{name: "other versions", secrets: []string{was.Secret}, standard: "v1a,xyz  " + was.StandardSignature + " v2,"},
		{name: "only other versions", secrets: []string{was.Secret}, standard: "v2," + was.StandardSignature[3:],
			want: hook.ErrSignature},
		{name: "no version", secrets: []string{was.Secret}, standard: was.StandardSignature[3:],
			want: hook.ErrSignature},
		{name: "commas between", secrets: []string{was.Secret},
			standard: was.StandardSignature + "," + was.StandardSignature, want: hook.ErrSignature},
		{name: "without padding", secrets: []string{was.Secret},
			standard: strings.TrimRight(was.StandardSignature, "="), want: hook.ErrSignature},
		{name: "blank", secrets: []string{was.Secret}, standard: " ", want: hook.ErrSignature},
		{name: "hex", secrets: []string{was.Secret}, standard: "v1," + was.Signature, want: hook.ErrSignature},
		{name: "secret without prefix", secrets: []string{was.Secret[6:]}, standard: was.StandardSignature,
			want: hook.ErrNoSecret},
		{name: "secret without key", secrets: []string{"whsec_"}, standard: was.StandardSignature,
			want: hook.ErrNoSecret},
		{name: "secret not base64", secrets: []string{was.Secret, "whsec_!"}, standard: was.StandardSignature,
			want: hook.ErrNoSecret},
	} {
		t.Run(tc.name, func(t *testing.T) {
			verifier, h := hook.Verifier{Secrets: tc.secrets, Standard: tc.standard != ""}, own
			if verifier.Standard {
				h = standard(tc.standard)
			}
			if err := verifier.Verify(h, was.Body, now); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	for name, h := range map[string]http.Header{
		"stale":       standard(was.StandardSignature),
		"own headers": own,
	} {
		err := hook.Verifier{Secrets: []string{was.Secret},
			Standard: true}.Verify(h, was.Body, now.Add(301*time.Second))
		if want := map[string]error{"stale": hook.ErrStale,
			"own headers": hook.ErrMissingHeader}[name]; !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
}

// Whatever verifies was signed, in time, in the one form that is sent.
func FuzzVerify(f *testing.F) {
	const secret = "whsec_DG9kWUOGvb/E3uvdhwpwfO/xyvbsO/+5Jsg87K+fMVw="
	for _, s := range readVectors(f).Sign {
		f.Add(strconv.FormatInt(s.Timestamp, 10), s.Signature, s.StandardSignature, s.Body, s.Timestamp)
	}
	f.Add("NaN", "", "v1,", []byte{}, int64(0))
	f.Add("1e9", strings.Repeat("0", 64), "v1,=", []byte("{}"), int64(1_000_000_000))
	f.Fuzz(func(t *testing.T, timestamp, signature, standard string, body []byte, now int64) {
		at := time.Unix(now%1e12, 0)
		near := func() bool {
			n, err := strconv.ParseFloat(timestamp, 64)
			return err == nil && n-float64(at.Unix()) <= 300 && float64(at.Unix())-n <= 300
		}
		h := headers(hook.HeaderTimestamp, timestamp, hook.HeaderSignature, signature,
			hook.HeaderStandardID, "evt_1", hook.HeaderStandardTimestamp, timestamp,
			hook.HeaderStandardSignature, standard)
		if hook.Verify(secret, h, body, at) == nil &&
			(signature != hook.Signature(secret, timestamp, body) || !near()) {
			t.Errorf("%q %q was taken", timestamp, signature)
		}
		if (hook.Verifier{Secrets: []string{secret}, Standard: true}).Verify(h, body, at) == nil && !near() {
			t.Errorf("%q %q was taken", timestamp, standard)
		}
		h.Set(hook.HeaderSignature, hook.Signature(secret, timestamp, body))
		if err := hook.Verify(secret, h, body, at); errors.Is(err, hook.ErrSignature) || err == nil && !near() {
			t.Errorf("signed %q at %d: %v", timestamp, at.Unix(), err)
		}
	})
}
