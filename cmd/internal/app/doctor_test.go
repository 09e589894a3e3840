package app

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/migrate"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook"
	"github.com/storefront-go/storefront/graph/lib/keyring"
)

func TestJudgeVersion(t *testing.T) {
	for v, want := range map[string]Grade{
		"SQLite 3.53.1":                  OK,
		"MySQL 8.4.0":                    OK,
		"MySQL 9.7.4":                    OK,
		"MySQL 8.0.36":                   Fail,
		"MySQL 5.7.44-log":               Fail,
		"MySQL 10.11.19-MariaDB-deb12u1": OK,
		"MySQL 11.8.2-MariaDB":           OK,
		"MySQL 10.6.18-MariaDB":          Fail,
		"MySQL 5.5.5-10.4.1-MariaDB":     Fail,
		"MySQL 8.0.11-TiDB-v8.5.1":       Warn,
		"MySQL 8.0.30-Vitess":            Warn,
		"MySQL something else":           Warn,
	} {
		if got := judgeVersion(v); got.Grade != want {
			t.Errorf("%s: %+v, want %s", v, got, want)
		}
	}
}

func TestJudgeClock(t *testing.T) {
	for d, want := range map[time.Duration]Grade{
		0: OK, 4 * time.Second: OK, -4 * time.Second: OK,
		6 * time.Second: Warn, -6 * time.Second: Warn,
		61 * time.Second: Fail, -2 * time.Hour: Fail,
	} {
		if got := judgeClock(d); got.Grade != want {
			t.Errorf("%s: %+v, want %s", d, got, want)
		}
	}
}

func TestJudgeSchema(t *testing.T) {
	for _, tc := range []struct {
		name   string
		st     migrate.Status
		sqlite bool
		want   Grade
	}{
		{name: "current", st: migrate.Status{Current: "1"}, want: OK},
		{name: "pending on MySQL", st: migrate.Status{Pending: []string{"2"}}, want: Fail},
		{name: "pending on SQLite", st: migrate.Status{Pending: []string{"2"}}, sqlite: true, want: OK},
		{name: "failed", st: migrate.Status{Pending: []string{"2"}, Failed: "disk full"}, want: Fail},
		{name: "newer, with which it works", st: migrate.Status{Current: "1", Newer: []string{"9"}}, want: OK},
		{name: "newer", st: migrate.Status{Current: "1", Unknown: []string{"9"}}, sqlite: true, want: Fail},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := judgeSchema(tc.st, tc.sqlite); got.Grade != tc.want {
				t.Errorf("%+v, want %s", got, tc.want)
			}
		})
	}
}

func TestJudgeSpace(t *testing.T) {
	for free, want := range map[uint64]Grade{1 << 40: OK, 1 << 29: Warn, 1 << 20: Fail} {
		if got := judgeSpace(free); got.Grade != want {
			t.Errorf("%d bytes: %+v, want %s", free, got, want)
		}
	}
}

func TestJudgeCapacity(t *testing.T) {
	for _, tc := range []struct {
		webhook.Capacity
		want Grade
	}{
		{webhook.Capacity{Attempts: 10_000, Files: 1 << 20, Memory: 8 << 30}, OK},
		{webhook.Capacity{Attempts: 10_000}, OK},
		{webhook.Capacity{Attempts: 1000, Files: 1 << 20, Memory: 128 << 20}, OK},
		{webhook.Capacity{Attempts: 496, Files: 1024, Memory: 8 << 30}, Warn},
	} {
		got := judgeCapacity(tc.Capacity)
		if got.Grade != tc.want || (got.Remedy == "") != (tc.want == OK) {
			t.Errorf("%+v: %+v, want %s", tc.Capacity, got, tc.want)
		}
	}
}

// graded returns the grade of a check in a report.
func graded(t *testing.T, r Report, check string) Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("no finding %q in %+v", check, r)
	return Finding{}
}

// free returns settings with unused addresses.
func free(t *testing.T) Config {
	c := valid()
	c.Data = filepath.Join(t.TempDir(), "data")
	c.Addr, c.AdminAddr = "127.0.0.1:0", "127.0.0.1:0"
	return c
}

func TestDiagnoseBeforeTheFirstStart(t *testing.T) {
	c := free(t)
	r := Diagnose(t.Context(), c)
	if !r.Healthy {
		t.Errorf("not healthy: %+v", r)
	}
	if _, err := os.Stat(c.Data); err == nil {
		t.Error("the diagnosis created the data folder")
	}
	var b bytes.Buffer
	if err := r.Print(&b); err != nil || !strings.Contains(b.String(), "database") {
		t.Errorf("Print = %v: %s", err, b.String())
	}
}

// Stores that were created before handles of the service were refused are named.
func TestDiagnoseHandles(t *testing.T) {
	s := storetest.Open(t)
	if list := diagnoseHandles(t.Context(), s); len(list) != 0 {
		t.Errorf("without stores: %+v", list)
	}
	for _, handle := range []string{"kite", "api"} {
		err := s.InTx(t.Context(), func(ctx context.Context) error {
			return s.DB(ctx).StoreHandle.Create().SetID(handle).SetStoreID(xid.New()).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if list := diagnoseHandles(t.Context(), s); len(list) != 1 || list[0].Grade != Warn ||
		!strings.HasSuffix(list[0].Found, ": api") {
		t.Errorf("found %+v", list)
	}
}

func TestDiagnoseSecret(t *testing.T) {
	for _, tc := range []struct {
		name, env, file string
		mode            os.FileMode
		want            Grade
	}{
		{name: "none yet", want: OK},
		{name: "variable", env: "0123456789abcdefghijklmnopqrstuvwxyz", want: OK},
		{name: "short variable", env: "short", want: Fail},
		{name: "dull variable", env: strings.Repeat("ab", 20), want: Warn},
		{name: "file", file: strings.Repeat("0123456789", 4), mode: 0o600, want: OK},
		{name: "open file", file: strings.Repeat("0123456789", 4), mode: 0o644, want: Fail},
		{name: "short file", file: "short", mode: 0o600, want: Fail},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := free(t)
			c.SecretKey = tc.env
			if tc.file != "" {
				if err := os.Mkdir(c.Data, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(c.Data, keyring.FileName), []byte(tc.file), tc.mode); err != nil {
					t.Fatal(err)
				}
			}
			r := Diagnose(t.Context(), c)
			got := graded(t, r, "secret")
			if got.Grade != tc.want || r.Healthy != (tc.want != Fail) {
				t.Errorf("%+v, healthy %t; want %s", got, r.Healthy, tc.want)
			}
			if got.Grade != OK && got.Remedy == "" {
				t.Error("it does not say how to repair it")
			}
			if tc.env != "" && strings.Contains(got.Found, tc.env) {
				t.Error("it shows the secret")
			}
		})
	}
}

func TestDiagnoseAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := free(t)
	c.Addr = l.Addr().String()
	if got := graded(t, Diagnose(t.Context(), c), "address"); got.Grade != Fail ||
		!strings.Contains(got.Remedy, "--addr") {
		t.Errorf("%+v, want a failure that names --addr", got)
	}
}

func TestDiagnoseDatabase(t *testing.T) {
	c := free(t)
	c.Database = storetest.SQLite(t)
	r := Diagnose(t.Context(), c)
	for _, check := range []string{"database", "version", "migrations", "clock"} {
		if got := graded(t, r, check); got.Grade != OK {
			t.Errorf("%+v, want ok", got)
		}
	}
	c.Database = "mysql://nobody:opensesame@127.0.0.1:1/none"
	got := graded(t, Diagnose(t.Context(), c), "database")
	if got.Grade != Fail || strings.Contains(got.Found, "opensesame") {
		t.Errorf("%+v, want a failure without the password", got)
	}
	if storetest.HaveMySQL(t) {
		c.Database = storetest.EmptyMySQL(t)
		r := Diagnose(t.Context(), c)
		if got := graded(t, r, "migrations"); got.Grade != Fail || !strings.Contains(got.Remedy, "migrate apply") {
			t.Errorf("%+v, want a failure that names migrate apply", got)
		}
		if got := graded(t, r, "clock"); got.Grade != OK {
			t.Errorf("%+v, want ok", got)
		}
	}
}

// A public https address without TLS in the server needs a proxy, which has to be named.
func TestDiagnoseProxies(t *testing.T) {
	for _, tt := range []struct {
		url, cert string
		proxies   []string
		warns     bool
	}{
		{url: "https://shop.example", warns: true},
		{url: "https://shop.example", proxies: []string{"10.0.0.0/8"}},
		{url: "https://shop.example", cert: "cert.pem"},
		{url: "http://127.0.0.1:8080"},
	} {
		c := Config{}
		c.PublicURL, c.TLSCert, c.TrustedProxies = tt.url, tt.cert, tt.proxies
		if got := judgeProxies(c); (len(got) == 1 && got[0].Grade == Warn) != tt.warns {
			t.Errorf("%+v: %+v", tt, got)
		}
	}
}

// A certificate should be renewed long before its end.
func TestJudgeCertificate(t *testing.T) {
	now := time.Now()
	for left, want := range map[time.Duration]int{30 * 24 * time.Hour: 0, 24 * time.Hour: 1, -time.Hour: 1} {
		row := &db.Domain{Host: "www.example.com", CertificateUntil: new(micros.Of(now.Add(left)))}
		if got := judgeCertificate(row, now); len(got) != want {
			t.Errorf("%s before its end: %v", left, got)
		}
	}
	refused := &db.Domain{Host: "www.example.com", CertificateProblem: new("refused")}
	if got := judgeCertificate(refused, now); len(got) != 1 || got[0].Grade != Warn || got[0].Remedy != "refused" {
		t.Errorf("without a certificate: %v", got)
	}
}
