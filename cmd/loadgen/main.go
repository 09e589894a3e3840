// Command loadgen measures the service and prints the tables of .github/BENCHMARKS.md.
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

type commands struct {
	Figures  figuresCommand  `cmd:"" help:"Measure the API, alone or beside an older build."`
	Webhooks webhooksCommand `cmd:"" help:"Measure the delivery of webhooks."`
	Selling  sellingCommand  `cmd:"" help:"Measure the pages and orders of a shop with 100,000 products."`
	Prepare  prepareCommand  `cmd:"" help:"Load the data of figures, and stop."`
	Sink     sinkCommand     `cmd:"" hidden:"" help:"Receive webhooks, for webhooks."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := kong.Parse(&commands{}, kong.Name("loadgen"), kong.UsageOnError(),
		kong.Description("Measures the storefront service."), kong.BindTo(ctx, (*context.Context)(nil)))
	run.FatalIfErrorf(run.Run())
}
