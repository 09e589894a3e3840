package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is an API that keeps products by key, with faults to order.
type fake struct {
	mu      sync.Mutex
	answers map[string]string
	rows    map[string]int

	forget bool // a retry makes a second product
	alter  bool // a retry is answered with other bytes
	lose   bool // the first answer to each key never arrives
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method == http.MethodGet {
		list := make([]struct{}, f.rows[r.FormValue("sku")])
		json.NewEncoder(w).Encode(map[string]any{"data": list, "next_cursor": nil})
		return
	}
	body, _ := io.ReadAll(r.Body)
	var in struct{ SKU string }
	json.Unmarshal(body, &in)
	key := r.Header.Get("Idempotency-Key")
	answer, known := f.answers[key]
	if known {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	if !known || f.forget {
		f.rows[in.SKU]++
	}
	if !known || f.alter {
		answer = fmt.Sprintf(`{"sku":%q,"n":%d}`, in.SKU, len(f.answers))
		f.answers[key] = answer
	}
	if !known && f.lose {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, answer)
}

func TestWritesAndVerify(t *testing.T) {
	for _, tc := range []struct {
		name string
		set  func(*fake) // between the load and the retries
		lose bool
		want string // in the error; "" for none
	}{
		{name: "an honest server", set: func(*fake) {}},
		{name: "answers that never arrived", set: func(*fake) {}, lose: true},
		{name: "a second product", set: func(f *fake) { f.forget = true }, want: "2 products"},
		{name: "another answer", set: func(f *fake) { f.alter = true }, want: "not replayed"},
		{name: "a lost key", set: func(f *fake) { clear(f.answers) }, want: "not replayed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{answers: map[string]string{}, rows: map[string]int{}, lose: tc.lose}
			s := httptest.NewServer(f)
			defer s.Close()
			s.Config.ErrorLog = nil
			flags := apiFlags{URL: s.URL, Key: "key", Ledger: filepath.Join(t.TempDir(), "ledger"), Conns: 2}
			if err := (&writesCommand{apiFlags: flags, Duration: 20 * time.Millisecond}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			f.mu.Lock()
			if len(f.answers) == 0 {
				t.Error("nothing was written")
			}
			tc.set(f)
			f.mu.Unlock()
			err := (&verifyCommand{flags}).Run(t.Context())
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestLedgerIsNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	l, err := createLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := createLedger(path); err == nil {
		t.Error("a second load may write into the ledger of the first")
	}
}
