// Command storefront is the service and its tools in one program.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // stores have time zones, which a minimal machine lacks
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals // the first signal drains
		cancel()
		<-signals // the second one exits at once
		os.Exit(exitFailed)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Environ(), stdio{out: os.Stdout, err: os.Stderr, in: os.Stdin}))
}
