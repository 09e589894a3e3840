//go:build ignore

// Receives Storefront's webhooks.
//
//	STOREFRONT_WEBHOOK_SECRET=whsec_... PORT=4242 go run verify.go
//	go run verify.go --vectors webhook-signature.json   tests this file
//
// During a rotation, set both secrets, separated by a comma.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/rest/hook" // imports only the standard library
)

// handle is where your work goes. Queue it: the sender waits 5 seconds. To deduplicate, insert
// e.ID into a table with a unique key, in the same transaction as the work. Then you do not need
// Seen below.
func handle(_ context.Context, e hook.Event) error {
	fmt.Println(e.Type, e.Resource.ID, e.Sequence)
	return nil // after an error, the sender retries
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "--vectors" {
		os.Exit(check(os.Args[2]))
	}
	receiver, err := hook.NewHandler(hook.Config{
		Verifier: hook.Verifier{Secrets: strings.Split(os.Getenv("STOREFRONT_WEBHOOK_SECRET"), ",")},
		Seen:     hook.NewMemory(100_000, 48*time.Hour),
	}, handle)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "4242"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on http://" + listener.Addr().String())
	server := &http.Server{Handler: receiver, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

// vector is a delivery that must be accepted or rejected.
type vector struct {
	Why     string            `json:"why"`
	Headers map[string]string `json:"headers"`
	Now     int64             `json:"now"`
}

// vectors is the file of shared vectors.
type vectors struct {
	Sign []struct {
		Secret    string `json:"secret"`
		Timestamp int64  `json:"timestamp"`
		Body      []byte `json:"body_base64"`
		Signature string `json:"x-service-signature"`
	} `json:"sign"`
	Receiver struct {
		Secret string   `json:"secret"`
		Body   []byte   `json:"body_base64"`
		Accept []vector `json:"accept"`
		Refuse []vector `json:"refuse"`
	} `json:"receiver"`
}

// check runs the shared vectors and returns the exit code.
func check(file string) int {
	var v vectors
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		log.Fatal(err)
	}
	total, failed := 0, 0
	expect := func(why string, secrets []string, headers map[string]string, body []byte, now int64, taken bool) {
		h := http.Header{}
		for name, value := range headers {
			h.Set(name, value)
		}
		total++
		if (hook.Verifier{Secrets: secrets}.Verify(h, body, time.Unix(now, 0)) == nil) != taken {
			failed++
			fmt.Println("FAIL", why)
		}
	}
	for _, s := range v.Sign {
		headers := map[string]string{
			"x-service-timestamp": strconv.FormatInt(s.Timestamp, 10), "x-service-signature": s.Signature,
		}
		expect("signed", []string{"whsec_other", s.Secret}, headers, s.Body, s.Timestamp, true)
		expect("changed", []string{s.Secret}, headers, append(s.Body, ' '), s.Timestamp, false)
		expect("no secret", []string{""}, headers, s.Body, s.Timestamp, false)
	}
	for _, a := range v.Receiver.Accept {
		expect(a.Why, []string{v.Receiver.Secret}, a.Headers, v.Receiver.Body, a.Now, true)
	}
	for _, r := range v.Receiver.Refuse {
		expect(r.Why, []string{v.Receiver.Secret}, r.Headers, v.Receiver.Body, r.Now, false)
	}
	fmt.Printf("%d of %d vectors\n", total-failed, total)
	return min(failed, 1)
}
