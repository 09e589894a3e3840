// Package vies asks the VAT Information Exchange System of the European Commission whether a VAT id
// was issued.
package vies

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Service is the address of the system's REST API.
const Service = "https://ec.europa.eu/taxation_customs/vies/rest-api"

const (
	patience  = 3 * time.Second // a shopper waits
	rest      = time.Minute     // after the service could not be reached
	most      = 4               // requests at once; the service blocks addresses that send many
	maxAnswer = 64 << 10
	maxNumber = 64 // of a consultation; the column is as wide
)

// ErrUnknown says that the system knows no such VAT id.
var ErrUnknown = errors.New("no such VAT id was issued")

// Client asks the system.
type Client struct {
	// Base is the address of the REST API, such as [Service]; "" asks nobody.
	Base string

	running atomic.Int32
	restsTo atomic.Int64 // Unix time in nanoseconds
}

type question struct {
	Country          string `json:"countryCode"`
	Number           string `json:"vatNumber"`
	RequesterCountry string `json:"requesterMemberStateCode"`
	RequesterNumber  string `json:"requesterNumber"`
}

// Check asks about a VAT id for a requester, both in their official form. It returns the number of
// the consultation, which proves it to a tax office. The error is [ErrUnknown], or says that there
// is no answer now. After a failed connection a client asks nothing for a minute.
func (c *Client) Check(ctx context.Context, id, requester string) (consultation string, err error) {
	if time.Now().UnixNano() < c.restsTo.Load() {
		return "", errors.New("VIES could not be reached a moment ago")
	}
	defer c.running.Add(-1)
	if c.running.Add(1) > most {
		return "", errors.New("too many questions to VIES at once")
	}
	body, err := json.Marshal(question{Country: id[:2], Number: id[2:],
		RequesterCountry: requester[:2], RequesterNumber: requester[2:]})
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Base+"/check-vat-number", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		if ctx.Err() == nil { // else the shopper left
			c.restsTo.Store(time.Now().Add(rest).UnixNano())
		}
		return "", fmt.Errorf("ask VIES: %w", err)
	}
	defer answer.Body.Close()
	return read(answer)
}

// read reads an answer. Errors have another form: they say neither valid nor invalid.
func read(r *http.Response) (consultation string, err error) {
	var a struct {
		Valid        *bool  `json:"valid"`
		Consultation string `json:"requestIdentifier"`
	}
	err = json.NewDecoder(io.LimitReader(r.Body, maxAnswer)).Decode(&a)
	switch {
	case r.StatusCode != http.StatusOK:
		return "", fmt.Errorf("VIES answers with %s", r.Status)
	case err != nil:
		return "", fmt.Errorf("read the answer of VIES: %w", err)
	case a.Valid == nil || len(a.Consultation) > maxNumber:
		return "", errors.New("VIES has no answer now")
	case !*a.Valid:
		return "", ErrUnknown
	}
	return a.Consultation, nil
}
