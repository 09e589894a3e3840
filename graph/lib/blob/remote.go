package blob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	gcaws "gocloud.dev/aws"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
)

// parameters are the parameters of an S3 address besides the bucket: the region; a prefix of all
// keys, which ends with a slash; the endpoint of a server other than Amazon's, with use_path_style
// if buckets are not host names there; and the library's parameters for authentication and
// checksums.
var parameters = []string{
	"region", "prefix", "endpoint", "use_path_style", "profile", "role", "anonymous", "dualstack", "fips",
	"request_checksum_calculation", "response_checksum_validation",
}

const (
	// credentialsTimeout bounds the search for credentials when the store opens.
	credentialsTimeout = 15 * time.Second
	// dialTimeout and answerTimeout bound connecting to a server and waiting for its answer. The
	// caller's context bounds reading and writing.
	dialTimeout   = 5 * time.Second
	answerTimeout = 30 * time.Second
)

// remote adds what the library lacks for S3.
type remote struct {
	client *s3.Client
	bucket string
	prefix string
}

// openRemote opens a bucket. It looks for credentials but does not contact the server, so the
// service starts while S3 is down.
func openRemote(ctx context.Context, u *url.URL) (*Store, error) {
	q, err := checkRemote(u)
	if err != nil {
		return nil, err
	}
	r := &remote{bucket: u.Host, prefix: q.Get("prefix")}
	pathStyle, _ := strconv.ParseBool(q.Get("use_path_style"))
	q.Del("prefix")
	q.Del("use_path_style")
	cfg, err := gcaws.V2ConfigFromURLParams(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("the settings of the blob store: %w", err)
	}
	if cfg.Region == "" {
		return nil, errors.New("the blob store on S3 needs a region: s3://BUCKET?region=REGION")
	}
	if err := haveCredentials(ctx, cfg.Credentials); err != nil {
		return nil, err
	}
	cfg.HTTPClient = awshttp.NewBuildableClient().
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = dialTimeout }).
		WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = answerTimeout })
	r.client = s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = pathStyle })
	bucket, err := s3blob.OpenBucket(ctx, r.client, r.bucket,
		&s3blob.Options{RequestChecksumCalculation: cfg.RequestChecksumCalculation})
	if err != nil {
		return nil, err
	}
	if r.prefix != "" {
		bucket = blob.PrefixedBucket(bucket, r.prefix)
	}
	return &Store{bucket: bucket, remote: r}, nil
}

func checkRemote(u *url.URL) (url.Values, error) {
	if u.Host == "" || strings.Contains(u.Host, ":") || strings.Trim(u.Path, "/") != "" {
		return nil, errors.New(
			"a blob store on S3 is written s3://BUCKET?region=REGION; a prefix of the keys is a parameter")
	}
	return remoteQuery(u.RawQuery)
}

// remoteQuery validates the parameters. For a server other than Amazon's, it adds some region, and
// turns off checksums that few of them support.
func remoteQuery(raw string) (url.Values, error) {
	q, err := url.ParseQuery(raw)
	if err != nil {
		return nil, errors.New("the parameters of the blob store cannot be read")
	}
	for name, values := range q {
		if !slices.Contains(parameters, name) {
			return nil, fmt.Errorf("the blob store has no parameter %q; it has %s", name,
				strings.Join(parameters, ", "))
		}
		if len(values) > 1 || values[0] == "" {
			return nil, fmt.Errorf("the parameter %s of the blob store needs one value", name)
		}
	}
	if v := q.Get("use_path_style"); v != "" && v != "true" && v != "false" {
		return nil, errors.New("the parameter use_path_style of the blob store must be true or false")
	}
	if v := q.Get("prefix"); v != "" && (!strings.HasSuffix(v, "/") || CheckKey(strings.TrimSuffix(v, "/")) != nil) {
		return nil, errors.New(
			"the parameter prefix of the blob store consists of a-z, 0-9, -, _, . and /, and ends with a slash")
	}
	if !q.Has("endpoint") {
		return q, nil
	}
	e, err := url.Parse(q.Get("endpoint"))
	if err != nil || e.Scheme != "http" && e.Scheme != "https" || e.Host == "" || e.User != nil || e.RawQuery != "" ||
		e.Fragment != "" {
		return nil, errors.New(
			"the parameter endpoint of the blob store is http:// or https:// and a host, without credentials")
	}
	for name, value := range map[string]string{"region": "us-east-1",
		"request_checksum_calculation": "when_required", "response_checksum_validation": "when_required"} {
		if !q.Has(name) {
			q.Set(name, value)
		}
	}
	return q, nil
}

// haveCredentials makes missing credentials fail now, not at the first export.
func haveCredentials(ctx context.Context, from aws.CredentialsProvider) error {
	if aws.IsCredentialsProvider(from, aws.AnonymousCredentials{}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, credentialsTimeout)
	defer cancel()
	if _, err := from.Retrieve(ctx); err != nil { // its text may name files and accounts
		return errors.New("the blob store on S3 found no credentials: " +
			"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role")
	}
	return nil
}

// delete removes an object in one request. The library would first ask whether it exists.
func (r *remote) delete(ctx context.Context, key string) error {
	key = r.prefix + key
	_, err := r.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &r.bucket, Key: &key})
	if apiCode(err) == "NoSuchKey" { // Amazon answers with success, some servers do not
		return nil
	}
	return err
}

// abandon aborts the uploads under a prefix, whose parts a killed writer left behind. Some servers
// cannot list them; there, a lifecycle rule has to remove them.
func (r *remote) abandon(ctx context.Context, prefix string) error {
	prefix = r.prefix + prefix
	in := &s3.ListMultipartUploadsInput{Bucket: &r.bucket, Prefix: &prefix}
	for {
		page, err := r.client.ListMultipartUploads(ctx, in)
		if err != nil {
			return unlessRefused(err)
		}
		for _, u := range page.Uploads {
			_, err := r.client.AbortMultipartUpload(ctx,
				&s3.AbortMultipartUploadInput{Bucket: &r.bucket, Key: u.Key, UploadId: u.UploadId})
			if err := unlessRefused(err); err != nil {
				return err
			}
		}
		if !aws.ToBool(page.IsTruncated) || page.NextKeyMarker == nil {
			return nil
		}
		in.KeyMarker, in.UploadIdMarker = page.NextKeyMarker, page.NextUploadIdMarker
	}
}

// unlessRefused drops the errors of a server that does not support or allow an operation, or whose
// upload has ended.
func unlessRefused(err error) error {
	switch apiCode(err) {
	case "AccessDenied", "Forbidden", "NotImplemented", "MethodNotAllowed", "NoSuchUpload":
		return nil
	}
	return err
}
