package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/graph/lib/blob"
)

// server is a local S3 server, with the address of one of its buckets.
type server struct {
	*httptest.Server
	backend gofakes3.Backend
	address string
}

// newServer starts a server with the bucket "files". It speaks the real protocol over HTTP,
// including signatures.
func newServer(t testing.TB) *server {
	t.Helper()
	environment(t)
	backend := s3mem.New()
	if err := backend.CreateBucket("files"); err != nil {
		t.Fatal(err)
	}
	s := &server{Server: httptest.NewServer(gofakes3.New(backend).Server()), backend: backend}
	t.Cleanup(s.Close)
	s.address = "s3://files?use_path_style=true&endpoint=" + url.QueryEscape(s.URL)
	return s
}

// environment clears the environment except for credentials.
func environment(t testing.TB) {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "key-of-tests", "AWS_SECRET_ACCESS_KEY": "secret-of-tests", "AWS_SESSION_TOKEN": "",
		"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "", "AWS_ENDPOINT_URL": "",
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": t.TempDir() + "/none",
		"AWS_SHARED_CREDENTIALS_FILE": t.TempDir() + "/none", "HTTP_PROXY": "", "http_proxy": "",
	} {
		t.Setenv(name, value)
	}
}

func open(t testing.TB, address, dir string) *blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), address, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// each runs f on every kind of store.
func each(t *testing.T, f func(t *testing.T, s *blob.Store)) {
	t.Helper()
	t.Run("folder", func(t *testing.T) { f(t, open(t, "", t.TempDir()+"/new/blobs")) })
	t.Run("file address", func(t *testing.T) { f(t, open(t, "file://"+t.TempDir()+"/blobs", "")) })
	t.Run("s3", func(t *testing.T) { f(t, open(t, newServer(t).address, "")) })
	t.Run("s3 with a prefix", func(t *testing.T) { f(t, open(t, newServer(t).address+"&prefix=shop/one/", "")) })
}

func put(t testing.TB, s *blob.Store, key string, body []byte) {
	t.Helper()
	if err := s.Put(t.Context(), key, "text/csv; charset=utf-8", body); err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
}

func read(t testing.TB, s *blob.Store, key string, offset, length int64) string {
	t.Helper()
	r, err := s.Range(t.Context(), key, offset, length)
	if err != nil {
		t.Fatalf("range %d+%d: %v", offset, length, err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("range %d+%d: %v", offset, length, err)
	}
	return string(b)
}

// keys lists a prefix, sorted.
func keys(t testing.TB, s *blob.Store, prefix string) []string {
	t.Helper()
	list := []string{}
	for o, err := range s.List(t.Context(), prefix) {
		if err != nil {
			t.Fatalf("list %q: %v", prefix, err)
		}
		list = append(list, o.Key)
	}
	slices.Sort(list)
	return list
}

// pattern returns n bytes that show their position.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return b
}

func TestWriteAndRead(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		began := micros.Now().Add(-2 * time.Second) // S3 has a resolution of seconds
		for name, body := range map[string][]byte{
			"empty": {}, "one": {0}, "small": pattern(1000), "two-uploads": pattern(6 << 20),
		} {
			key := "exports/" + name + "/part-1.csv.gz"
			put(t, s, key, body)
			got, err := s.Get(t.Context(), key, int64(len(body)))
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("%s: %d bytes, %v; want the %d written", name, len(got), err, len(body))
			}
			o, err := s.Stat(t.Context(), key)
			if err != nil || o.Key != key || o.Size != int64(len(body)) || o.Modified < began ||
				o.Modified > micros.Now().Add(2*time.Second) {
				t.Errorf("%s: Stat = %+v, %v", name, o, err)
			}
		}
	})
}

func TestManyWritesMakeOneObject(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		body := pattern(300_000)
		w, err := s.Create(t.Context(), "a/b", "")
		if err != nil {
			t.Fatal(err)
		}
		for part := range slices.Chunk(body, 7777) {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
		}
		if _, err := s.Stat(t.Context(), "a/b"); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("before Close: %v, want ErrNotFound", err)
		}
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("before Close: listed %q", got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w.Abort() // as if deferred
		if got := read(t, s, "a/b", 0, -1); got != string(body) {
			t.Error("the object is not what was written")
		}
		if _, err := w.Write([]byte("x")); err == nil {
			t.Error("a closed writer takes more")
		}
		if err := w.Close(); err == nil {
			t.Error("a closed writer closes again")
		}
	})
}

func TestReplace(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		put(t, s, "a", []byte("the first, longer one"))
		w, err := s.Create(t.Context(), "a", "text/plain")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, "second"); err != nil {
			t.Fatal(err)
		}
		if got := read(t, s, "a", 0, -1); got != "the first, longer one" {
			t.Errorf("before Close: %q", got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := read(t, s, "a", 0, -1); got != "second" {
			t.Errorf("after Close: %q", got)
		}
	})
}

func TestAbort(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		for _, size := range []int{-1, 0, 1000, 11 << 20} {
			w, err := s.Create(t.Context(), "x/y/z", "text/plain")
			if err != nil {
				t.Fatal(err)
			}
			if size >= 0 {
				if _, err := w.Write(pattern(size)); err != nil {
					t.Fatal(err)
				}
			}
			w.Abort()
			w.Abort()
			if err := w.Close(); err == nil {
				t.Error("Close after Abort is no error")
			}
			if _, err := s.Stat(t.Context(), "x/y/z"); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("%d bytes: the object exists: %v", size, err)
			}
		}
	})
}

// The end of a writer's context abandons the object.
func TestContextEnds(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		w, err := s.Create(ctx, "x", "text/plain")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := w.Close(); !errors.Is(err, context.Canceled) {
			t.Errorf("Close = %v, want the context's error", err)
		}
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("left: %q", got)
		}
	})
}

func TestRange(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		body := string(pattern(1000))
		put(t, s, "r", []byte(body))
		put(t, s, "empty", nil)
		for _, tc := range []struct {
			offset, length int64
			want           string
		}{
			{0, -1, body}, {0, 1000, body}, {0, 1, body[:1]}, {999, 1, body[999:]}, {999, -1, body[999:]},
			{10, 20, body[10:30]}, {990, 100, body[990:]}, {0, 5000, body}, {0, 0, ""}, {500, 0, ""}, {1000, -1, ""},
			{1000, 1, ""}, {1000, 0, ""}, {5000, 10, ""},
		} {
			if got := read(t, s, "r", tc.offset, tc.length); got != tc.want {
				t.Errorf("range %d+%d: %d bytes, want %d", tc.offset, tc.length, len(got), len(tc.want))
			}
		}
		for _, at := range [][2]int64{{0, -1}, {0, 0}, {0, 10}, {5, -1}} {
			if got := read(t, s, "empty", at[0], at[1]); got != "" {
				t.Errorf("of nothing, %v: %q", at, got)
			}
		}
		if _, err := s.Range(t.Context(), "r", -1, 5); err == nil {
			t.Error("a range before the object")
		}
	})
}

// A reader that is closed early does not wait for the rest.
func TestRangeClosedEarly(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		body := pattern(4 << 20)
		put(t, s, "r", body)
		r, err := s.Range(t.Context(), "r", 100, -1)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 10)
		if _, err := io.ReadFull(r, b); err != nil || !bytes.Equal(b, body[100:110]) {
			t.Errorf("read %x, %v", b, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestNotFound(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		put(t, s, "a/b", []byte("x"))
		for _, key := range []string{"none", "a", "a/none", "none/b", "a/b/c"} {
			if _, err := s.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("Stat(%s): %v", key, err)
			}
			if _, err := s.Get(t.Context(), key, 10); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("Get(%s): %v", key, err)
			}
			for _, length := range []int64{-1, 0, 5} {
				if _, err := s.Range(t.Context(), key, 0, length); !errors.Is(err, blob.ErrNotFound) {
					t.Errorf("Range(%s): %v", key, err)
				}
			}
			if err := s.Delete(t.Context(), key); err != nil {
				t.Errorf("Delete(%s): %v", key, err)
			}
		}
		if got := keys(t, s, ""); !slices.Equal(got, []string{"a/b"}) {
			t.Errorf("left %q", got)
		}
	})
}

func TestGetHasALimit(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		put(t, s, "a", pattern(100))
		for limit, want := range map[int64]error{
			100: nil, 1 << 40: nil, 99: blob.ErrTooLarge, 0: blob.ErrTooLarge, -1: blob.ErrTooLarge,
		} {
			if b, err := s.Get(t.Context(), "a", limit); !errors.Is(err, want) || (err == nil) != (want == nil) ||
				(err == nil) != (len(b) == 100) {
				t.Errorf("limit %d: %d bytes, %v", limit, len(b), err)
			}
		}
	})
}

func TestListAndDelete(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		all := []string{"a", "b/1", "b/10", "b/2/x", "b-1", "b.c", "ba/1", "c/d/e/f"}
		for i, key := range all {
			put(t, s, key, pattern(i))
		}
		for prefix, want := range map[string][]string{
			"": all, "a": {"a"}, "b": {"b/1", "b/10", "b/2/x", "b-1", "b.c", "ba/1"}, "b/": {"b/1", "b/10", "b/2/x"},
			"b/1": {"b/1", "b/10"}, "b/1/": {}, "c/d/": {"c/d/e/f"}, "c/d/e/f": {"c/d/e/f"}, "c/d/e/f/": {}, "x": {},
			"x/y": {}, "b-": {"b-1"},
		} {
			want := slices.Sorted(slices.Values(want))
			if d := cmp.Diff(want, keys(t, s, prefix), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("prefix %q (-want +got):\n%s", prefix, d)
			}
		}
		for o := range s.List(t.Context(), "") {
			if i := slices.Index(all, o.Key); o.Size != int64(i) || o.Modified < micros.Now().Add(-time.Hour) {
				t.Errorf("%+v, want %d bytes", o, i)
			}
			if o.Key == "b/1" {
				break // breaking out of the loop is allowed
			}
		}
		if err := s.Delete(t.Context(), "b/1"); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			prefix string
			want   []string
		}{
			{"b/1/", []string{"a", "b-1", "b.c", "b/10", "b/2/x", "ba/1", "c/d/e/f"}},
			{"b/", []string{"a", "b-1", "b.c", "ba/1", "c/d/e/f"}},
			{"b", []string{"a", "c/d/e/f"}},
			{"none/", []string{"a", "c/d/e/f"}},
			{"c/d/e/f", []string{"a"}},
		} {
			if err := s.DeleteAll(t.Context(), step.prefix); err != nil {
				t.Fatalf("DeleteAll(%q): %v", step.prefix, err)
			}
			if got := keys(t, s, ""); !slices.Equal(got, step.want) {
				t.Errorf("after DeleteAll(%q): %q, want %q", step.prefix, got, step.want)
			}
		}
	})
}

// A read of a folder and a page of an S3 list end at 1,000 entries; and folders are not sorted like
// keys.
func TestListIsComplete(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		n := 100
		if strings.Contains(t.Name(), "/s3") {
			n = 1100 // more than one page
		}
		var want []string
		for i := range n {
			want = append(want, fmt.Sprintf("l/%d%s", i/4, []string{"/x", "-x", ".x", "0/y"}[i%4]))
		}
		for _, key := range want {
			put(t, s, key, []byte("x"))
		}
		slices.Sort(want)
		if d := cmp.Diff(slices.Compact(want), keys(t, s, "l/")); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if err := s.DeleteAll(t.Context(), "l/"); err != nil {
			t.Fatal(err)
		}
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("%d are left", len(got))
		}
	})
}

// Concurrent writers and deletes in the same folders do not interfere: every object is complete,
// and a writer fails or succeeds.
func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		var wg sync.WaitGroup
		for g := range 6 {
			wg.Go(func() {
				for n := range 20 {
					key := fmt.Sprintf("m/%d/%d", g, n%3)
					body := bytes.Repeat([]byte{byte('a' + n)}, 5000)
					if err := s.Put(t.Context(), key, "", body); err != nil {
						t.Error(err)
					}
					if got, err := s.Get(t.Context(), key, 5000); err != nil || !bytes.Equal(got, body) {
						t.Errorf("%s: %d bytes, %v", key, len(got), err)
					}
					if err := s.Delete(t.Context(), key); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if got := keys(t, s, ""); len(got) != 0 {
			t.Errorf("left: %q", got)
		}
	})
}

func TestKeysAreChecked(t *testing.T) {
	each(t, func(t *testing.T, s *blob.Store) {
		for _, key := range badKeys {
			_, rangeErr := s.Range(t.Context(), key, 0, -1)
			_, getErr := s.Get(t.Context(), key, 1)
			_, statErr := s.Stat(t.Context(), key)
			_, createErr := s.Create(t.Context(), key, "")
			for op, err := range map[string]error{"Range": rangeErr, "Get": getErr, "Stat": statErr,
				"Create": createErr, "Put": s.Put(t.Context(), key, "", nil), "Delete": s.Delete(t.Context(), key)} {
				if err == nil || errors.Is(err, blob.ErrNotFound) || !strings.Contains(err.Error(), "a key is") {
					t.Errorf("%s(%.40q): %v", op, key, err)
				}
			}
		}
		for _, prefix := range []string{"/", "/a", "a//", "A", "../", "a/../b", ".", "a\x00"} {
			if err := s.DeleteAll(t.Context(), prefix); err == nil {
				t.Errorf("DeleteAll(%q) is no error", prefix)
			}
			for _, err := range s.List(t.Context(), prefix) {
				if err == nil {
					t.Errorf("List(%q) is no error", prefix)
				}
			}
		}
		if err := s.DeleteAll(t.Context(), ""); err == nil {
			t.Error("DeleteAll of everything is no error")
		}
	})
}
