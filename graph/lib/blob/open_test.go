package blob_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/lib/blob"
)

func TestOpenRefuses(t *testing.T) {
	environment(t)
	for _, tc := range []struct{ name, address, want string }{
		{"a path", "/var/blobs", `the kind ""`},
		{"another scheme", "gs://bucket", `the kind "gs"`},
		{"memory", "mem://", `the kind "mem"`},
		{"azure", "azblob://container", `the kind "azblob"`},
		{"http", "https://example.com/bucket", `the kind "https"`},
		{"not a URL", "s3://\x00", "not a URL"},
		{"opaque", "file:relative", "must begin with"},
		{"fragment", "s3://bucket#x", "must begin with"},
		{"a relative folder", "file://./relative", "file:///FOLDER"},
		{"a host", "file://host/folder", "file:///FOLDER"},
		{"no folder", "file://", "file:///FOLDER"},
		{"a folder with parameters", "file:///tmp/x?no_tmp_dir=1", "without a host or parameters"},
		{"credentials", "s3://hunter1:hunter2@bucket?region=eu-central-1", "must not contain credentials"},
		{"no bucket", "s3://?region=eu-central-1", "s3://BUCKET"},
		{"a port", "s3://bucket:9000?region=eu-central-1", "s3://BUCKET"},
		{"a path in the bucket", "s3://bucket/hunter2?region=eu-central-1", "a prefix of the keys is a parameter"},
		{"no region", "s3://bucket", "needs a region"},
		{"an unknown parameter", "s3://bucket?region=eu-central-1&hunter=x", `no parameter "hunter"`},
		{"an empty one", "s3://bucket?region=", "region of the blob store needs one value"},
		{"a repeated one", "s3://bucket?region=hunter2&region=b", "region of the blob store needs one value"},
		{"bad parameters", "s3://bucket?region=%zz", "cannot be read"},
		{"a bad switch", "s3://bucket?region=a&use_path_style=hunter2", "use_path_style"},
		{"a bad prefix", "s3://bucket?region=a&prefix=Hunter2/", "prefix"},
		{"a prefix without a slash", "s3://bucket?region=a&prefix=hunter2", "ends with a slash"},
		{"an endpoint without a scheme", "s3://bucket?endpoint=hunter2:9000", "endpoint"},
		{"an endpoint with credentials", "s3://bucket?endpoint=http://hunter1:hunter2@minio", "without credentials"},
		{"a bad mode", "s3://bucket?region=a&request_checksum_calculation=never", "request_checksum_calculation"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := blob.Open(t.Context(), tc.address, filepath.Join(t.TempDir(), "unused"))
			if err == nil || s != nil || !strings.Contains(err.Error(), tc.want) ||
				strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %v, want %q and no secret", err, tc.want)
			}
		})
	}
}

func TestOpenWithoutCredentials(t *testing.T) {
	environment(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if _, err := blob.Open(t.Context(), "s3://bucket?region=eu-central-1", ""); err == nil ||
		!strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("error %v, want how to give credentials", err)
	}
	s, err := blob.Open(t.Context(), "s3://bucket?region=eu-central-1&anonymous=true", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The service starts while its store is down.
func TestOpenMakesNoRequest(t *testing.T) {
	environment(t)
	open(t, "s3://bucket?region=eu-central-1", "")
	open(t, "s3://bucket?endpoint=http://127.0.0.1:1&use_path_style=true", "")
}

func TestParameters(t *testing.T) {
	environment(t)
	for _, name := range blob.Parameters {
		_, err := blob.Open(t.Context(), "s3://bucket?region=a&"+name+"=%00", "")
		if err != nil && strings.Contains(err.Error(), "no parameter") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
