package blob

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Open opens the store at an address, or else a folder, which is made:
//
//	file:///var/lib/storefront/blobs
//	s3://bucket?region=eu-central-1&prefix=storefront/
//	s3://bucket?endpoint=https://minio.example:9000&use_path_style=true
//
// See [Parameters] for what an address on S3 may say. Credentials come from where
// the AWS tools take them, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,
// and never stand in the address. Errors do not repeat the address.
func Open(ctx context.Context, address, dir string) (*Store, error) {
	if address == "" {
		return openDir(dir)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of the blob store is not a URL")
	}
	if u.User != nil {
		return nil, errors.New("the address of the blob store may not hold credentials: " +
			"give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	if u.Fragment != "" || u.Opaque != "" {
		return nil, errors.New("the address of the blob store must begin with file:/// or s3://")
	}
	switch u.Scheme {
	case "file":
		return openFile(u)
	case "s3":
		return openRemote(ctx, u)
	}
	return nil, fmt.Errorf("a blob store of the kind %q is not supported: file:///FOLDER or s3://BUCKET", u.Scheme)
}

func openFile(u *url.URL) (*Store, error) {
	dir := u.Path
	if runtime.GOOS == "windows" {
		dir = strings.TrimPrefix(dir, "/") // of a path with a drive
	}
	if dir = filepath.FromSlash(dir); u.Host != "" || u.RawQuery != "" || !filepath.IsAbs(dir) {
		return nil, errors.New("a blob store in a folder is written file:///FOLDER, without a host and parameters")
	}
	return openDir(dir)
}

func openDir(dir string) (*Store, error) {
	s, err := openFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the blob store: %w", err)
	}
	return s, nil
}
