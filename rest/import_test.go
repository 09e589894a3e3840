package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/bucket"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/rest"
)

var importID = xid.Import.Format(fixed(1))

const anImport = `{"kind":"products","content":"handle,title,price,currency\na,A,1.00,EUR\nb,B,x,EUR\n"}`

// furnishImports creates a completed job.
func furnishImports(ctx context.Context, c *db.Client, store xid.ID) error {
	return c.ImportJob.Create().SetID(fixed(1)).SetBucket(bucket.Of(store)).SetKind(state.ImportProducts).
		SetDryRun(false).SetObjectID(fixed(1)).SetStatus(state.ImportCompleted).
		SetRequesterType(viewer.APIKey).SetRequesterID(fixed(1)).
		SetRequesterName("Sync").SetCredentialID(fixed(1)).SetStartedAt(epoch).SetCompletedAt(epoch).Exec(ctx)
}

// TestImport: a file in a request is imported once, and its failed rows can be downloaded.
func TestImport(t *testing.T) {
	var resolver *graph.Resolver
	s, m := sqlite(t, func(c *rest.Config) {
		resolver = c.Core
		c.Exports, c.Links = c.Core.Exports, c.Core.Links
	})
	made := s.post(t, m.all, "k", "/imports", anImport).want(http.StatusAccepted, "")
	same(t, made, s.post(t, m.all, "k", "/imports", anImport))
	var job struct {
		ID, Status string
		Created    int `json:"created_count"`
		Failed     int `json:"failed_count"`
	}
	made.decode(&job)
	if _, err := resolver.RunImports(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.do(t, request{As: m.all, Path: "/imports/" + job.ID}).want(http.StatusOK, "").decode(&job)
	if job.Status != "completed" || job.Created != 1 || job.Failed != 1 {
		t.Errorf("%+v", job)
	}
	errs := s.do(t, request{As: m.all, Path: "/imports/" + job.ID + "/errors"}).want(http.StatusOK, "")
	if !strings.Contains(string(errs.Body), `"line":3,"warning":false,"record":"b"`) {
		t.Errorf("%s", errs.Body)
	}
	shown, err := resolver.Query().Import(viewer.Operator(t.Context(), m.id), job.ID)
	if err != nil || shown.Link == nil {
		t.Fatal(shown, err)
	}
	file := fetch(t, s, *shown.Link).want(http.StatusOK, "")
	if string(file.Body) != "handle,title,price,currency\nb,B,x,EUR\n" ||
		file.Header.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment;") {
		t.Errorf("%d %v %q", file.Status, file.Header, file.Body)
	}
	fetch(t, s, *shown.Link+"x").want(http.StatusForbidden, "link_invalid")
	for i, body := range []string{`{}`, `{"kind":"themes","content":"x"}`, `{"kind":"products","content":""}`,
		`{"kind":"products","content":1}`} {
		s.post(t, m.all, fmt.Sprint("bad", i), "/imports", body).want(422, "validation_failed")
	}
	s.post(t, m.keyOf(scope.ImportsWrite), "s", "/imports", anImport).want(http.StatusForbidden, "insufficient_scope")
}
