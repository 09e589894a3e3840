package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const problemType = "application/problem+json"

func (v *Validator) checkRequest(r *route, params map[string]string, req *http.Request, body []byte) error {
	for name, values := range req.URL.Query() {
		name, _, _ := strings.Cut(name, "[") // a member of an object
		if !slices.Contains(r.Query, name) || len(values) != 1 {
			return fmt.Errorf("query parameter %q, %d times", name, len(values))
		}
	}
	clone := req.Clone(req.Context())
	clone.Body = io.NopCloser(bytes.NewReader(body))
	clone.ContentLength = int64(len(body))
	return openapi3filter.ValidateRequest(req.Context(), &openapi3filter.RequestValidationInput{
		Request:    clone,
		PathParams: params,
		Route: &routers.Route{
			Spec: v.doc, Path: r.Path, PathItem: r.item, Method: r.Method, Operation: r.operation,
		},
		Options: &openapi3filter.Options{
			// The service checks the credential itself.
			AuthenticationFunc:  openapi3filter.NoopAuthenticationFunc,
			SkipSettingDefaults: true,
		},
	})
}

func (r *route) checkResponse(method string, res *http.Response, body []byte) error {
	want, ok := r.responses[res.StatusCode]
	if !ok {
		return fmt.Errorf("%s does not document this status", r.ID)
	}
	for _, h := range want.headers {
		if err := h.check(res.Header); err != nil {
			return err
		}
	}
	if res.StatusCode >= 400 && res.Header.Get("Cache-Control") != "no-store" {
		return fmt.Errorf("Cache-Control %q, want no-store on an error", res.Header.Get("Cache-Control"))
	}
	if len(want.content) == 0 || method == http.MethodHead {
		if len(body) > 0 {
			return fmt.Errorf("a body of %d bytes, want none", len(body))
		}
		return nil
	}
	schema, ok := want.content[mediaType(res.Header)]
	if !ok {
		return fmt.Errorf("%s does not document content type %q here", r.ID, res.Header.Get("Content-Type"))
	}
	if err := checkBody(schema, body); err != nil {
		return err
	}
	if mediaType(res.Header) == problemType {
		return want.checkCode(res.StatusCode, body)
	}
	return nil
}

// checkCode requires that a problem names its own status and a code from the response's examples.
func (r *response) checkCode(status int, body []byte) error {
	var p struct {
		Status int
		Code   string
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	if p.Status != status {
		return fmt.Errorf("the problem says status %d", p.Status)
	}
	if !slices.Contains(r.codes, p.Code) {
		return fmt.Errorf("code %q is not documented here, only %v", p.Code, r.codes)
	}
	return nil
}

func (h header) check(got http.Header) error {
	values := got.Values(h.name)
	if len(values) == 0 {
		if h.required {
			return fmt.Errorf("header %s is missing", h.name)
		}
		return nil
	}
	if len(values) > 1 {
		return fmt.Errorf("header %s comes %d times", h.name, len(values))
	}
	var value any = values[0]
	if h.integer {
		value = json.Number(values[0])
	}
	if err := h.schema.Validate(value); err != nil {
		return fmt.Errorf("header %s: %q: %w", h.name, values[0], err)
	}
	return nil
}

func mediaType(h http.Header) string {
	m, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return m
}

func checkBody(schema *jsonschema.Schema, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("body: %w", err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}
