// Command storefront is the service and its tools in one program.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // stores have time zones, and a bare machine has no list of them
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals // the first one drains
		cancel()
		<-signals // the second one does not wait
		os.Exit(exitFailed)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Environ(), stdio{out: os.Stdout, err: os.Stderr, in: os.Stdin}))
}
