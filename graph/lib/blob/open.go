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

// Open opens the store at an address, or else in a folder, which it creates if needed:
//
//	file:///var/lib/storefront/blobs
//	s3://bucket?region=eu-central-1&prefix=storefront/
//	s3://bucket?endpoint=https://minio.example:9000&use_path_style=true
//
// See [Parameters] for the parameters of an S3 address. Credentials are never part of the address:
// they come from the sources of the AWS tools, such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
// Errors do not repeat the address.
func Open(ctx context.Context, address, dir string) (*Store, error) {
	if address != "" {
		u, err := parse(address)
		if err != nil {
			return nil, err
		}
		if u.Scheme == "s3" {
			return openRemote(ctx, u)
		}
		if dir, err = folderOf(u); err != nil {
			return nil, err
		}
	}
	s, err := openFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the blob store: %w", err)
	}
	return s, nil
}

// Check returns the errors of an address that its text alone shows.
func Check(address string) error {
	if address == "" {
		return nil
	}
	u, err := parse(address)
	if err != nil {
		return err
	}
	if u.Scheme == "s3" {
		_, err = checkRemote(u)
	} else {
		_, err = folderOf(u)
	}
	return err
}

func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of the blob store is not a URL")
	}
	if u.User != nil {
		return nil, errors.New("the address of the blob store must not contain credentials: " +
			"give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	if u.Fragment != "" || u.Opaque != "" {
		return nil, errors.New("the address of the blob store must begin with file:/// or s3://")
	}
	if u.Scheme != "file" && u.Scheme != "s3" {
		return nil, fmt.Errorf("a blob store of the kind %q is not supported: file:///FOLDER or s3://BUCKET", u.Scheme)
	}
	return u, nil
}

func folderOf(u *url.URL) (string, error) {
	dir := u.Path
	if runtime.GOOS == "windows" {
		dir = strings.TrimPrefix(dir, "/") // of a path with a drive letter
	}
	if dir = filepath.FromSlash(dir); u.Host != "" || u.RawQuery != "" || !filepath.IsAbs(dir) {
		return "", errors.New("a blob store in a folder must have the form file:///FOLDER, without a host or parameters")
	}
	return dir, nil
}
