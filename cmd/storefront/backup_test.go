package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/storefront-go/storefront/cmd/internal/app"
	"github.com/storefront-go/storefront/cmd/internal/backup"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph"
	"github.com/storefront-go/storefront/graph/model"
)

func (c cli) data() string { return strings.TrimPrefix(c.env[0], "STOREFRONT_DATA=") }

// A backup made during writes is a consistent snapshot, and a restore brings back the files and the
// secret.
func TestBackupAndRestore(t *testing.T) {
	c := newCLI(t)
	var made shop
	c.decode(&made, "store", "create", "Kite", "--currency", "EUR", "--owner-email", "ana@kite.example")
	key := filepath.Join(c.data(), "blobs", "exports", "one")
	if err := os.MkdirAll(filepath.Dir(key), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, bytes.Repeat([]byte("blob"), 1<<18), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	var m backup.Manifest
	c.whileWriting(made.ID, func() { c.decode(&m, "backup", file) })
	if !m.Secret || !m.Blobs || m.Files != 3 {
		t.Errorf("%+v", m)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want mode 0600", info.Mode(), err)
	}
	if o := c.run("backup", file); o.code != exitFailed || !strings.Contains(o.err, "exists already") {
		t.Errorf("over another: %+v", o)
	}

	to := newCLI(t)
	c.decode(&m, "restore", file, "--data", to.data())
	var list []shop
	if to.decode(&list, "store", "list"); len(list) != 1 || list[0].ID != made.ID {
		t.Errorf("restored: %+v", list)
	}
	for _, name := range []string{"secret.key", "blobs/exports/one"} {
		was, err := os.ReadFile(filepath.Join(c.data(), name))
		is, err2 := os.ReadFile(filepath.Join(to.data(), name))
		if err != nil || err2 != nil || !bytes.Equal(was, is) {
			t.Errorf("%s: %v, %v, or other bytes", name, err, err2)
		}
	}
	if o := c.run("restore", file, "--data", to.data()); o.code != exitFailed || !strings.Contains(o.err, "not empty") {
		t.Errorf("into a folder with data: %+v", o)
	}
	checkDamage(t, c, file)
	checkSecret(t, c)
}

// whileWriting runs f while products are created.
func (c cli) whileWriting(store string, f func()) {
	c.t.Helper()
	id, err := xid.Store.Parse(store)
	if err != nil {
		c.t.Fatal(err)
	}
	c.core(func(r *graph.Resolver) error {
		ctx := viewer.Operator(c.t.Context(), id)
		stop, begun, failed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		var began sync.Once
		go func() {
			for {
				select {
				case <-stop:
					failed <- nil
					return
				default:
				}
				_, err := r.Mutation().ProductCreate(ctx, model.ProductCreateInput{Title: "Mug", Currency: "EUR"})
				began.Do(func() { close(begun) })
				if err != nil {
					failed <- err
					return
				}
			}
		}()
		<-begun
		f()
		close(stop)
		return <-failed
	})
}

// checkDamage damages a backup in every way, and checks that nothing is restored.
func checkDamage(t *testing.T, c cli, file string) {
	t.Helper()
	for name, tc := range map[string]struct {
		change func(name string, body []byte) (string, []byte)
		want   string
	}{
		"other bytes": {func(name string, body []byte) (string, []byte) {
			if name == "blobs/exports/one" {
				body[7] ^= 1
			}
			return name, body
		}, "the checksum of blobs/exports/one"},
		"without a file": {func(name string, body []byte) (string, []byte) {
			if name == "blobs/exports/one" {
				return "", nil
			}
			return name, body
		}, "the checksum of blobs/exports/one"},
		"out of the folder": {func(name string, body []byte) (string, []byte) {
			return strings.ReplaceAll(name, "exports/", "../../"), body
		}, "blobs/../../one"},
		"without a manifest": {func(name string, body []byte) (string, []byte) {
			return strings.TrimPrefix(name, "manifest.json"), body
		}, "its end is missing"},
	} {
		bad := filepath.Join(t.TempDir(), "bad.tar.gz")
		rewrite(t, file, bad, tc.change)
		to := filepath.Join(t.TempDir(), "data")
		if o := c.run("restore", bad, "--data", to); o.code != exitFailed || !strings.Contains(o.err, tc.want) {
			t.Errorf("%s: %+v, want %q", name, o, tc.want)
		}
		if left, err := os.ReadDir(to); err != nil || len(left) != 0 {
			t.Errorf("%s left %v, %v", name, left, err)
		}
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.tar.gz")
	if err := os.WriteFile(cut, whole[:len(whole)-40], 0o600); err != nil {
		t.Fatal(err)
	}
	if o := c.run("restore", cut, "--data", filepath.Join(t.TempDir(), "data")); o.code != exitFailed {
		t.Errorf("cut off: %+v", o)
	}
}

// rewrite writes a changed archive; a file without a name is left out.
func rewrite(t *testing.T, from, to string, change func(string, []byte) (string, []byte)) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	unzip, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	r, w := tar.NewReader(unzip), tar.NewWriter(zip)
	for {
		head, err := r.Next()
		if err == io.EOF {
			break
		}
		body, err2 := io.ReadAll(r)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if head.Name, body = change(head.Name, body); head.Name == "" {
			continue
		}
		head.Size = int64(len(body))
		if err := w.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkSecret makes a backup without the secret: a restore needs exactly that secret.
func checkSecret(t *testing.T, c cli) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bare.tar.gz")
	if o := c.run("backup", "--without-secret", file); o.code != exitOK || !strings.Contains(o.out, "NOT in the file") {
		t.Errorf("%+v", o)
	}
	secret := filepath.Join(c.data(), "secret.key")
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte(strings.Repeat("another-secret ", 4)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		file, want string
		args       []string
	}{
		{"", "is not in the backup", nil}, {other, "is not the one of the backup", nil}, {secret, "", nil},
		{"", "", []string{"--without-secret"}},
	} {
		at := newCLI(t)
		at.env = append(at.env, "STOREFRONT_SECRET_KEY_FILE="+tc.file)
		o := at.run(slices.Concat([]string{"restore", file}, tc.args)...)
		if (o.code == exitOK) != (tc.want == "") || !strings.Contains(o.err, tc.want) {
			t.Errorf("with %q: %+v, want %q", tc.file, o, tc.want)
		}
		_, err := os.Stat(filepath.Join(at.data(), "storefront.db"))
		if (err == nil) != (tc.want == "") {
			t.Errorf("with %q: the database is there: %v", tc.file, err == nil)
		}
	}
}

// A folder in which a restore was killed is not served, and a server database is not copied.
func TestBackupRefusals(t *testing.T) {
	c := newCLI(t)
	if o := c.run("backup", filepath.Join(t.TempDir(), "a")); o.code != exitFailed ||
		!strings.Contains(o.err, "there is no database") {
		t.Errorf("nothing to keep: %+v", o)
	}
	if err := os.MkdirAll(filepath.Join(c.data(), "restore.partial"), 0o700); err != nil {
		t.Fatal(err)
	}
	if o := c.run("store", "list"); o.code != exitFailed || !strings.Contains(o.err, "a restore") {
		t.Errorf("after a restore that was killed: %+v", o)
	}
	o := newCLI(t).run("backup", "a.tar.gz", "--database", "mysql://shop:opensesame@db.example:3307/orders")
	if o.code != exitFailed || strings.Contains(o.out+o.err, "opensesame") || !strings.Contains(o.out,
		"--single-transaction --quick --hex-blob --default-character-set=utf8mb4 --host=db.example --port=3307 --user=shop "+
			"--password orders > storefront.sql") {
		t.Errorf("%+v", o)
	}
	if _, err := app.OpenStore(t.Context(), app.Opening{Storage: app.Storage{Data: c.data()}}); err == nil {
		t.Error("the folder opens")
	}
}

// oneProduct returns a folder with an export of one draft.
func oneProduct(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	export := "Handle,Title,Variant Price\nbell,Bell,12.50\n"
	if err := os.WriteFile(filepath.Join(dir, "products_export.csv"), []byte(export), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The command prints what was left out, and the totals.
func TestImportShopify(t *testing.T) {
	c := newCLI(t)
	var made shop
	c.decode(&made, "store", "create", "Kite", "--currency", "EUR", "--owner-email", "ana@kite.example")
	dir := t.TempDir()
	export := "Handle,Title,Variant Price,Published\nmug,Mug,12.50,true\nspoon,Spoon,\"3,20\",true\n"
	if err := os.WriteFile(filepath.Join(dir, "products_export.csv"), []byte(export), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := c.run("import", "shopify", dir); o.code != exitOK ||
		!strings.Contains(o.out, "products_export.csv:3  left out") || !strings.Contains(o.out, "dry run") {
		t.Errorf("%+v", o)
	}
	o := c.run("import", "shopify", dir, "--apply")
	if o.code != exitOK || !strings.Contains(o.out, "products  2     1        0        0          1") {
		t.Errorf("%+v", o)
	}
	if o := c.run("import", "shopify", t.TempDir()); o.code != exitFailed || strings.Count(o.err, "\n") != 1 {
		t.Errorf("nothing to import: %+v", o)
	}
}
