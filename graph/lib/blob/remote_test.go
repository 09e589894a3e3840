package blob_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/blob"
)

// spy returns an S3 server whose requests see handles first.
func spy(t testing.TB, see func(w http.ResponseWriter, r *http.Request) (answered bool)) (*server, *blob.Store) {
	t.Helper()
	s := newServer(t)
	inner := s.Config.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !see(w, r) {
			inner.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	return s, open(t, "s3://files?use_path_style=true&endpoint="+url.QueryEscape(front.URL), "")
}

// refusal answers like S3, with texts that must not be passed on.
func refusal(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	io.WriteString(w, `<Error><Code>`+code+`</Code><Message>private-text</Message><Key>private-key</Key>`+
		`<BucketName>files</BucketName><RequestId>private-id</RequestId></Error>`)
}

// A range is requested as a range: the rest stays in S3.
func TestRangesAreAskedFor(t *testing.T) {
	var ranges []string
	_, s := spy(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			ranges = append(ranges, r.Header.Get("Range"))
		}
		return false
	})
	put(t, s, "r", pattern(100_000))
	if got := read(t, s, "r", 50_000, 10); got != string(pattern(100_000)[50_000:50_010]) {
		t.Errorf("read %d other bytes", len(got))
	}
	if got := read(t, s, "r", 99_990, -1); len(got) != 10 {
		t.Errorf("read %d bytes", len(got))
	}
	if got := strings.Join(ranges, " "); got != "bytes=50000-50009 bytes=99990-" {
		t.Errorf("asked for %q", got)
	}
}

// Errors of a server or a connection get fixed texts that reveal nothing about the store.
func TestErrorsRevealNothing(t *testing.T) {
	var status atomic.Int32
	var code atomic.Value
	code.Store("")
	_, s := spy(t, func(w http.ResponseWriter, _ *http.Request) bool {
		if status.Load() == 0 {
			return false
		}
		refusal(w, int(status.Load()), code.Load().(string))
		return true
	})
	ctx := t.Context()
	put(t, s, "private-key", []byte("x"))
	for _, tc := range []struct {
		status     int32
		code, want string
	}{
		{403, "AccessDenied", "the store answered AccessDenied"},
		{403, "SignatureDoesNotMatch", "the store answered SignatureDoesNotMatch"},
		{404, "NoSuchBucket", "the store answered NoSuchBucket"},
		{400, "Bad private://?x=&#10;1", "the store answered Badprvatex1"},
		{400, strings.Repeat("x", 5000), "the store answered " + strings.Repeat("x", 64)},
	} {
		status.Store(tc.status)
		code.Store(strings.Replace(tc.code, "private", "prvate", 1))
		_, getErr := s.Get(ctx, "private-key", 10)
		_, rangeErr := s.Range(ctx, "private-key", 0, -1)
		for op, err := range map[string]error{"get": getErr, "range": rangeErr,
			"put": s.Put(ctx, "private-key", "", []byte("x")), "delete": s.Delete(ctx, "private-key"),
			"list": listError(s)} {
			hidden(t, op, err)
			if err != nil && !strings.HasSuffix(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %q", op, err, tc.want)
			}
		}
	}
}

func listError(s *blob.Store) error {
	for _, err := range s.List(context.Background(), "private") {
		return err
	}
	return nil
}

// hidden fails the test if an error's text reveals where the store is.
func hidden(t *testing.T, op string, err error) {
	t.Helper()
	if err == nil || errors.Is(err, blob.ErrNotFound) {
		t.Errorf("%s: %v, want another error", op, err)
		return
	}
	for _, secret := range []string{"private", "files", "127.0.0.1", "http", "key-of-tests", "secret-of-tests", "://"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %q holds %q", op, err, secret)
		}
	}
}

func TestServerIsDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	environment(t)
	s := open(t, "s3://files?use_path_style=true&endpoint=http://"+address, "")
	_, err = s.Stat(t.Context(), "private-key")
	hidden(t, "stat", err)
	if !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("error %q, want the reason", err)
	}
	if _, ok := errors.AsType[*net.OpError](err); !ok {
		t.Error("the cause is lost: it does not show that the store is down")
	}
}

// An interrupted download is an error, never a shorter object.
func TestInterruptedDownload(t *testing.T) {
	var cut atomic.Bool
	_, s := spy(t, func(w http.ResponseWriter, r *http.Request) bool {
		if !cut.Load() || r.Method != http.MethodGet {
			return false
		}
		w.Header().Set("Content-Length", strconv.Itoa(100))
		w.Write(make([]byte, 50))
		return true
	})
	put(t, s, "private-key", make([]byte, 100))
	cut.Store(true)
	_, err := s.Get(t.Context(), "private-key", 100)
	hidden(t, "get", err)
	r, err := s.Range(t.Context(), "private-key", 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	hidden(t, "range", err)
	if len(b) > 50 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// Uploads of a killed writer are aborted, within the prefix only.
func TestAbandonedUploads(t *testing.T) {
	s := newServer(t)
	store := open(t, s.address+"&prefix=shop/", "")
	for _, key := range []string{"shop/e/1/a", "shop/e/1/b", "shop/e/10/a", "e/1/a"} {
		begin(t, s, key)
	}
	if got := uploads(t, s); len(got) != 4 {
		t.Fatalf("begun: %q", got)
	}
	if err := store.DeleteAll(t.Context(), "e/1/"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(uploads(t, s), " "); got != "e/1/a shop/e/10/a" {
		t.Errorf("left: %s", got)
	}
}

// begin begins a multipart upload, as writers of large objects do.
func begin(t testing.TB, s *server, key string) {
	t.Helper()
	res, err := http.Post(s.URL+"/files/"+key+"?uploads", "text/csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("begin an upload: %s", res.Status)
	}
}

func uploads(t testing.TB, s *server) (keys []string) {
	t.Helper()
	res, err := http.Get(s.URL + "/files?uploads")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(b), "<Key>") {
		if key, _, ok := strings.Cut(part, "</Key>"); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// Abandoning a writer of many parts aborts its upload.
func TestAbortEndsTheUpload(t *testing.T) {
	s := newServer(t)
	store := open(t, s.address, "")
	w, err := store.Create(t.Context(), "a", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(pattern(12 << 20)); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if got := uploads(t, s); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}

// Deleting works on a server that cannot list uploads, or does not allow it.
func TestUploadsCannotBeListed(t *testing.T) {
	for _, code := range []string{"AccessDenied", "NotImplemented", "MethodNotAllowed"} {
		_, s := spy(t, func(w http.ResponseWriter, r *http.Request) bool {
			if !r.URL.Query().Has("uploads") {
				return false
			}
			refusal(w, http.StatusForbidden, code)
			return true
		})
		put(t, s, "e/1", nil)
		if err := s.DeleteAll(t.Context(), "e/"); err != nil {
			t.Errorf("%s: %v", code, err)
		}
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("%s: left %q", code, got)
		}
	}
}

// In a shared bucket, the store keeps to its prefix.
func TestPrefixInTheBucket(t *testing.T) {
	s := newServer(t)
	all, one := open(t, s.address, ""), open(t, s.address+"&prefix=shop/one/", "")
	put(t, all, "e/1", []byte("other"))
	put(t, one, "e/1", []byte("mine"))
	if got := strings.Join(keys(t, all, ""), " "); got != "e/1 shop/one/e/1" {
		t.Errorf("in the bucket: %s", got)
	}
	if got := strings.Join(keys(t, one, ""), " "); got != "e/1" {
		t.Errorf("below the prefix: %s", got)
	}
	if err := one.DeleteAll(t.Context(), "e/"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(keys(t, all, ""), " "); got != "e/1" {
		t.Errorf("left: %s", got)
	}
}

func TestContentType(t *testing.T) {
	s := newServer(t)
	store := open(t, s.address, "")
	for given, want := range map[string]string{
		"text/csv; charset=utf-8": "text/csv; charset=utf-8", "": "application/octet-stream",
	} {
		if err := store.Put(t.Context(), "a", given, []byte("<html>")); err != nil {
			t.Fatal(err)
		}
		o, err := s.backend.HeadObject("files", "a")
		if err != nil || o.Metadata["Content-Type"] != want {
			t.Errorf("%q is stored as %q, %v", given, o.Metadata["Content-Type"], err)
		}
	}
}
