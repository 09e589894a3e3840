// Command chaos runs a fault campaign against the program: it kills and stops processes and
// databases and fills the disk while writers, readers, exports and webhooks continue. The verdict
// says what was lost, duplicated, out of order, answered differently or left undone.
//
//	go run ./cmd/chaos --engine mariadb --kills 200 --seed 7
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/storefront-go/storefront/ent/storetest/mariadb"
)

// flags are those of the program.
type flags struct {
	Engine  string        `enum:"sqlite,mariadb,mysql,vitess" default:"sqlite" help:"The database: sqlite, mariadb, mysql or vitess (default ${default})."`
	Kills   int           `default:"200" help:"Number of faults (default ${default})."`
	Billers int           `default:"0" help:"Number of clients that do nothing but create orders with invoices (default ${default})."`
	Seed    uint64        `default:"1" help:"Determines the faults and their times (default ${default})."`
	Time    time.Duration `default:"30m" help:"Inject no faults after this time (default ${default})."`
	Binary  string        `type:"path" help:"Test this program instead of building one."`
	MySQL   string        `name:"mysql" env:"STOREFRONT_TEST_MYSQLD" type:"path" help:"Folder of an unpacked MySQL, as .ci/mysql prints it."`
	Vitess  string        `help:"mysql:// address of a migrated, empty Vitess cluster, as .ci/vitess chaos starts it."`
	Down    string        `name:"vitess-kill" help:"Shell command that kills the cluster; by default it is not killed."`
	Up      string        `name:"vitess-start" help:"Shell command that restarts the cluster and waits until it answers."`
	Reshard string        `name:"vitess-reshard" help:"Shell command that moves the cluster to other shards. It runs once, halfway through the faults, during writes."`
	Ledger  string        `type:"path" help:"File for the ledger and the verdict (default: in the temporary folder)."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c flags
	parser := kong.Parse(&c, kong.Name("chaos"), kong.UsageOnError(),
		kong.Description("Injects faults into the storefront service and checks that it keeps its promises."))
	good, err := c.run(ctx, os.Stdout)
	parser.FatalIfErrorf(err)
	if !good {
		stop()
		os.Exit(1) //nolint:gocritic // all deferred functions have run
	}
}

// run runs the campaign and reports whether the verdict is good.
func (c *flags) run(ctx context.Context, out io.Writer) (good bool, err error) {
	if err := c.check(); err != nil {
		return false, err
	}
	if c.Binary == "" {
		dir, err := os.MkdirTemp("", "storefront-chaos")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		c.Binary = filepath.Join(dir, "storefront")
		if err := build(ctx, c.Binary); err != nil {
			return false, err
		}
	}
	began := time.Now()
	l, err := run(ctx, *c, out)
	if err != nil {
		return false, err
	}
	v := judge(l)
	report(out, l, v, time.Since(began))
	if c.Ledger == "" {
		c.Ledger = filepath.Join(os.TempDir(), fmt.Sprintf("storefront-chaos-%s-%d.json", c.Engine, c.Seed))
	}
	b, err := json.Marshal(map[string]any{"verdict": v, "ledger": l})
	if err != nil {
		return false, err
	}
	fmt.Fprintf(out, "\nThe ledger is in %s\n", c.Ledger)
	return v.Good(), os.WriteFile(c.Ledger, b, 0o600)
}

func (c *flags) check() error {
	switch {
	case c.Kills < 1 || c.Time <= 0 || c.Billers < 0:
		return errors.New("--kills and --time must be above 0, and --billers not below")
	case c.Engine == "mariadb" && !mariadb.Installed():
		return errors.New("mariadbd is not installed")
	case c.Engine == "mysql" && c.MySQL == "":
		return errors.New("--mysql must name the folder of an unpacked MySQL: --mysql $(.ci/mysql)")
	case (c.Engine == "vitess") != (c.Vitess != ""):
		return errors.New("--engine vitess needs the address of a cluster in --vitess: see .ci/vitess chaos")
	case (c.Down == "") != (c.Up == "") || c.Down != "" && c.Vitess == "":
		return errors.New("--vitess-kill and --vitess-start require each other and --vitess")
	case c.Reshard != "" && c.Vitess == "":
		return errors.New("--vitess-reshard requires --vitess")
	}
	return nil
}

func build(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/storefront-go/storefront/cmd/storefront")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return nil
}

func report(out io.Writer, l *Ledger, v Verdict, took time.Duration) {
	fmt.Fprintf(out, "\n%s, seed %d: %d faults in %v\n", l.Engine, l.Seed, len(l.Faults), took.Round(time.Second))
	kinds := map[Kind]int{}
	for _, f := range l.Faults {
		kinds[f.Kind]++
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(out, "  %4d × %s\n", kinds[k], k)
	}
	for _, k := range slices.Sorted(maps.Keys(l.Undone)) {
		fmt.Fprintf(out, "  skipped: %s: %s\n", k, l.Undone[k])
	}
	var answers []string
	for _, status := range slices.Sorted(maps.Keys(l.Traffic.Answers)) {
		answers = append(answers, fmt.Sprintf("%s: %d", status, l.Traffic.Answers[status]))
	}
	fmt.Fprintf(out, "%d writes with a key, %d invoices, %d deliveries, %d walks and exports\n", len(l.Writes),
		len(l.Invoices), len(l.Deliveries), len(l.Readings))
	fmt.Fprintf(out, "%d requests, answered %s\n", l.Traffic.Requests, strings.Join(answers, ", "))
	fmt.Fprintf(out, "worst stall %v (%s), %d processes ended on their own\n",
		l.Traffic.Stall.Round(time.Millisecond), l.Traffic.Stalled, l.Traffic.Ended)
	if len(l.Errors) > 0 {
		fmt.Fprintf(out, "%d errors in the logs, such as\n  %.300s\n", len(l.Errors), l.Errors[0])
	}
	verdict := "FAILED"
	if v.Good() {
		verdict = "passed"
	}
	fmt.Fprintf(out, "%s\n%s", verdict, v.text())
}
