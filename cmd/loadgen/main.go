// Command loadgen measures the service and prints the tables of .github/BENCHMARKS.md.
// It also sends loads of keyed requests, and verifies afterwards that no write was lost or
// carried out twice.
//
//	go run ./cmd/loadgen figures --engine both
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands are what the program does.
type commands struct {
	Figures  figuresCommand  `cmd:"" help:"Measure the API, alone or beside an older build, and print the tables."`
	Webhooks webhooksCommand `cmd:"" help:"Measure how webhooks are delivered and print the tables."`
	Exports  exportsCommand  `cmd:"" help:"Measure exports and print the table."`
	Selling  sellingCommand  `cmd:"" help:"Measure a shop that sells, with 100,000 products, and print the tables."`
	Growth   growthCommand   `cmd:"" help:"Measure what requests and deliveries cost as there is more of everything, and print the tables."`
	Soak     soakCommand     `cmd:"" help:"Load a server for long, watch it, and print what became of it."`
	Prepare  prepareCommand  `cmd:"" help:"Load the data that the figures need, and stop."`
	Writes   writesCommand   `cmd:"" help:"Make products under idempotency keys and keep a ledger of the answers."`
	Verify   verifyCommand   `cmd:"" help:"Retry every key of a ledger: one product each, the same answers."`
	Sink     sinkCommand     `cmd:"" hidden:"" help:"Receive webhooks, for figures."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := kong.Parse(&commands{}, kong.Name("loadgen"), kong.UsageOnError(),
		kong.Description("Load client of the storefront service."), kong.BindTo(ctx, (*context.Context)(nil)))
	run.FatalIfErrorf(run.Run())
}
