package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

func TestCompared(t *testing.T) {
	rates := func(list ...float64) (side []reading) {
		for _, n := range list {
			side = append(side, reading{rate: n})
		}
		return side
	}
	for _, tc := range []struct {
		name        string
		first, last []reading
		want        float64
	}{
		{"rounds are compared with each other", rates(100, 200, 400), rates(120, 240, 480), 1.2},
		{"one bad round does not count", rates(100, 100, 100), rates(110, 900, 110), 1.1},
		{"an even number of rounds", rates(1000, 1000), rates(800, 820), 0.81},
	} {
		if got := compared(rate, tc.first, tc.last); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestProcess(t *testing.T) {
	start, err := cpu(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	used := start
	for begin := time.Now(); used < start+2*tick && time.Since(begin) < 10*time.Second; {
		if used, err = cpu(os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
	if used < start+2*tick {
		t.Errorf("CPU time rose from %v to %v only", start, used)
	}
	if most, err := peak(os.Getpid()); err != nil || most < 1<<20 {
		t.Errorf("peak: %d, %v", most, err)
	}
	if got, err := cpu(0); got != 0 || err != nil {
		t.Errorf("no process: %v, %v", got, err)
	}
}

func TestReport(t *testing.T) {
	b := &bench{}
	b.show("sqlite", figure{name: "page 5000", of: latency, most: "(at most 1.25)",
		sides: []side{{name: "page 1"}, {name: "server"}}}, [][]reading{
		{{cpu: 120 * time.Microsecond, database: 20 * time.Microsecond, p50: time.Millisecond}},
		{{cpu: 180 * time.Microsecond, p50: 1500 * time.Microsecond, p99: 3 * time.Millisecond, rate: 70}},
	})
	b.report.add([]string{"fact", "engine", "value"}, "memory", "sqlite", "40.0 MB")
	var out bytes.Buffer
	b.report.print(&out)
	for _, want := range []string{
		"| page 5000 | sqlite | page 1 | 120 | 20 | 1.00 | 0.00 | 0 |  |\n",
		"| page 5000 | sqlite | server | 180 | 0 | 1.50 | 3.00 | 70 | 1.50 (at most 1.25) |\n",
		"\n\n| fact | engine | value |\n| --- | --- | ---: |\n| memory | sqlite | 40.0 MB |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

func TestPages(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range pages(1000) {
		if seen[p.name] || !strings.HasPrefix(p.target(0), "/") {
			t.Errorf("%+v at %s", p, p.target(0))
		}
		seen[p.name] = true
	}
	const page = `<a href="/products/mug">Mug</a> <a href="/products/mug"><img></a> <a href="/products/cup-2?x=1">Cup</a>`
	if got := linked([]byte(page)); got != 2 {
		t.Errorf("%d products, want each of two once", got)
	}
}
