package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

func TestRatio(t *testing.T) {
	us := func(list ...int) (side []reading) {
		for _, n := range list {
			side = append(side, reading{
				server: time.Duration(n) * time.Microsecond, rate: float64(n), p50: time.Duration(n),
			})
		}
		return side
	}
	for _, tc := range []struct {
		name        string
		kind        kind
		bound       float64
		first, last []reading
		want        float64
		kept        bool
	}{
		{name: "rounds are compared with themselves", kind: cpuPerRequest, bound: 1.25, first: us(100, 200, 400),
			last: us(120, 240, 480), want: 1.2, kept: true},
		{name: "one bad round does not count", kind: cpuPerRequest, bound: 1.25, first: us(100, 100, 100),
			last: us(110, 900, 110), want: 1.1, kept: true},
		{name: "too much", kind: cpuPerRequest, bound: 1.25, first: us(100), last: us(130), want: 1.3},
		{name: "latency", kind: latency, bound: 1.25, first: us(100), last: us(125), want: 1.25, kept: true},
		{name: "enough", kind: throughput, bound: 0.8, first: us(1000, 1000), last: us(800, 820), want: 0.81,
			kept: true},
		{name: "too little", kind: throughput, bound: 0.8, first: us(1000), last: us(790), want: 0.79},
	} {
		r := &result{figure: figure{kind: tc.kind, bound: tc.bound}, sides: [][]reading{tc.first, us(1, 1, 1), tc.last}}
		if got := r.ratio(); got != tc.want || r.kept() != tc.kept {
			t.Errorf("%s: got %v, %v, want %v, %v", tc.name, got, r.kept(), tc.want, tc.kept)
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
	r := &report{
		results: []*result{{
			figure: figure{name: "GET /orders", kind: cpuPerRequest, bound: 1.25,
				sides: []side{{name: "baseline"}, {name: "server"}}},
			engine: "sqlite",
			sides: [][]reading{
				{{server: 100 * time.Microsecond, database: 20 * time.Microsecond, p50: time.Millisecond}},
				{{server: 150 * time.Microsecond, database: 30 * time.Microsecond, p99: 3 * time.Millisecond}},
			},
		}},
		facts: []fact{{"stripped binary", "40.0 MB", "< 60 MB"}},
	}
	var b bytes.Buffer
	r.print(&b)
	for _, want := range []string{
		"| GET /orders | sqlite | 120 µs CPU | 180 µs CPU | 1.50 | ≤ 1.25, missed |\n",
		"| GET /orders | sqlite | server | 150 | 30 | 0.00 | 3.00 | 0 |\n",
		"| stripped binary | 40.0 MB | < 60 MB |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
}
