package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

// Free space, in bytes, below which the data folder gets a warning or fails.
const (
	spaceWarn = 1 << 30
	spaceFail = 64 << 20
)

// diagnoseFolder checks the data folder, or where it will be created.
func diagnoseFolder(dir string) []Finding {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		parent := existingParent(dir)
		return append([]Finding{ok("data", "%s does not exist yet; serve creates it", dir)}, diagnoseSpace(parent)...)
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err != nil {
		return []Finding{fail("data", firstLine(err), "set a folder with --data")}
	}
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return []Finding{fail("data", firstLine(err), "give the user that runs the program write access to "+dir)}
	}
	probe.Close()
	os.Remove(probe.Name())
	found := ok("data", "%s can be written", dir)
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		found = warn("data", fmt.Sprintf("%s has mode %04o: others may write to it", dir, mode), "chmod 700 "+dir)
	}
	return append([]Finding{found}, diagnoseSpace(dir)...)
}

func existingParent(dir string) string {
	for {
		parent := filepath.Dir(dir)
		if _, err := os.Stat(parent); err == nil || parent == dir {
			return parent
		}
		dir = parent
	}
}

func diagnoseSpace(dir string) []Finding {
	free, known := freeSpace(dir)
	if !known {
		return nil
	}
	return []Finding{judgeSpace(free)}
}

func judgeSpace(free uint64) Finding {
	found := fmt.Sprintf("%.1f GiB free", float64(free)/(1<<30))
	switch {
	case free < spaceFail:
		return fail("disk", found, "free space on the data folder's disk")
	case free < spaceWarn:
		return warn("disk", found, "free space on the data folder's disk soon")
	}
	return ok("disk", "%s", found)
}

// diagnoseSecret returns the root secret without creating one; nil if there is no usable one.
func diagnoseSecret(s Storage) (Finding, *keyring.Ring) {
	if s.SecretKey != "" {
		ring, err := keyring.Parse(s.SecretKey)
		if err != nil {
			return fail("secret", "STOREFRONT_SECRET_KEY: "+firstLine(err),
				"generate one: openssl rand -base64 32"), nil
		}
		if weak(s.SecretKey) {
			return warn("secret", "STOREFRONT_SECRET_KEY has too few different characters",
				"prepend a generated one (openssl rand -base64 32) and a comma"), ring
		}
		return ok("secret", "%d from STOREFRONT_SECRET_KEY", len(ring.KeyIDs())), ring
	}
	path := filepath.Join(s.Data, keyring.FileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ok("secret", "%s does not exist yet; serve creates it", path), nil
	}
	ring, err := keyring.LoadOrCreate(s.Data)
	if err != nil {
		return fail("secret", firstLine(err),
			"make it a file of the program's user with mode 0600 that holds at least 32 random characters"), nil
	}
	return ok("secret", "%d in %s", len(ring.KeyIDs()), path), ring
}

// weak reports whether a secret is too repetitive to be random.
func weak(secret string) bool {
	seen := map[rune]bool{}
	for _, r := range secret {
		seen[r] = true
	}
	return len(seen) < 10
}

// diagnoseAddresses checks that the addresses are free, or that a storefront already listens there.
func diagnoseAddresses(ctx context.Context, c Config) []Finding {
	running := storefrontAt(ctx, c.AdminAddr)
	var list []Finding
	for _, a := range []struct{ flag, addr string }{{"--addr", c.Addr}, {"--admin-addr", c.AdminAddr}} {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", a.addr)
		switch {
		case err == nil:
			_ = l.Close() // nothing was received on it
			list = append(list, ok("address", "%s is free", a.addr))
		case running:
			list = append(list, ok("address", "%s is in use by a storefront", a.addr))
		default:
			list = append(list, fail("address", firstLine(err),
				"stop the program that listens there, or choose another address with "+a.flag))
		}
	}
	return append(list, judgeProxies(c)...)
}

// judgeProxies warns if an unnamed proxy terminates TLS for the server: all visitors behind it
// share one address.
func judgeProxies(c Config) []Finding {
	if len(c.TrustedProxies) > 0 || c.TLSCert != "" || !strings.HasPrefix(c.PublicURL, "https://") {
		return nil
	}
	return []Finding{warn("proxies", "a proxy serves TLS for "+c.PublicURL+", but no proxy is trusted: all visitors "+
		"behind it count as one client", "set its network with --trusted-proxies")}
}

// fewAttempts is the number of concurrent webhook attempts below which there is a warning.
const fewAttempts = 2000

// judgeCapacity checks how many webhook attempts can run at once. Few of them for lack of memory
// are normal on a small machine.
func judgeCapacity(c webhook.Capacity) Finding {
	if c.Attempts < fewAttempts && c.Files > 0 && c.Files < 2*fewAttempts {
		return warn("webhooks", fmt.Sprintf("%d attempts can run at once: a process may open %d files here", c.Attempts,
			c.Files), "raise the limit of open files, such as LimitNOFILE=65536 in the unit of systemd, or ulimit -n")
	}
	return ok("webhooks", "%d attempts can run at once", c.Attempts)
}

func storefrontAt(ctx context.Context, addr string) bool {
	client := &http.Client{Timeout: 2 * time.Second}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin(addr, false)+"/healthz", nil)
	if err != nil {
		return false
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	var h health
	return json.NewDecoder(http.MaxBytesReader(nil, res.Body, 4096)).Decode(&h) == nil && h.Program == program
}
