package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// long returns data of a home page with a list of n texts.
func long(n int) map[string]any {
	data := SampleData("home")
	tags := make([]any, n)
	for i := range tags {
		tags[i] = fmt.Sprintf("tag %d", i)
	}
	data["tags"] = tags
	data["text"] = strings.Repeat("Éa", 20_000)
	return data
}

// Lists longer than a range counts as end a page, not the process. The clock stands still: only
// steps count.
func TestLongListsEndThePage(t *testing.T) { synctest.Test(t, testLongLists) }

func testLongLists(t *testing.T) {
	theme := compiled(t, home(`{{range .tags}}{{range $.tags}}{{if .}}{{end}}{{end}}{{end}}`))
	if err := theme.Render(io.Discard, "home", long(100)); err != nil {
		t.Errorf("100 in a list: %v", err)
	}
	if err := theme.Render(io.Discard, "home", long(1000)); !errors.Is(err, ErrTooLong) {
		t.Errorf("1,000 in a list: got %v, want ErrTooLong", err)
	}
}

func TestOutputIsBounded(t *testing.T) { synctest.Test(t, testOutput) }

func testOutput(t *testing.T) {
	theme := compiled(t, home(`{{range .tags}}`+strings.Repeat("x", 10_000)+`{{end}}`))
	var out bytes.Buffer
	if err := theme.Render(&out, "home", long(101)); err != nil || out.Len() < 1_010_000 {
		t.Errorf("a page below 1 MiB: %d bytes, error %v", out.Len(), err)
	}
	out.Reset()
	if err := theme.Render(&out, "home", long(110)); !errors.Is(err, ErrTooLarge) || out.Len() > 0 {
		t.Errorf("a page above 1 MiB: %d bytes, error %v, want ErrTooLarge", out.Len(), err)
	}
	if got := rendered(t, theme, "home", long(1)); !strings.Contains(got, "</html>") {
		t.Errorf("the page after it is not whole: %q", got)
	}
}

// The meter's limits, to the byte and to the step.
func TestMeter(t *testing.T) {
	m := newMeter(new(bytes.Buffer), maxTime)
	if _, err := m.Write(make([]byte, MaxOutput)); err != nil {
		t.Errorf("MaxOutput bytes: %v", err)
	}
	if _, err := m.Write([]byte("x")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("one more: %v", err)
	}
	m = newMeter(new(bytes.Buffer), maxTime)
	for i := range maxSteps {
		if _, err := m.Write(nil); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if _, err := m.Write(nil); !errors.Is(err, ErrTooLong) {
		t.Errorf("one more: %v", err)
	}
}

func TestMeterEndsByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(new(bytes.Buffer), maxTime)
		time.Sleep(maxTime)
		for range look {
			if _, err := m.Write(nil); err != nil {
				t.Fatalf("at the end: %v", err)
			}
		}
		time.Sleep(time.Nanosecond)
		var err error
		for range look {
			_, err = m.Write(nil)
		}
		if !errors.Is(err, ErrTooSlow) {
			t.Errorf("behind the end: got %v, want ErrTooSlow", err)
		}
	})
}

// The meter counts what a page does: at least one step for every action, iteration and call, and
// never more than the estimate.
func TestStepsAreEstimated(t *testing.T) {
	for name, body := range map[string]string{
		"empty ranges": `{{range .tags}}{{range $.tags}}{{end}}{{end}}`,
		"assignments":  `{{$x := ""}}{{range .tags}}{{range $.tags}}{{$x = .}}{{end}}{{end}}`,
		"declarations": `{{range .tags}}{{range $.tags}}{{$x := .}}{{end}}{{end}}`,
		"branches":     `{{range .tags}}{{range $.tags}}{{if .}}{{end}}{{with .}}{{end}}{{end}}{{end}}`,
		"else": `{{range .tags}}{{range $.tags}}{{if $.none}}{{else if $.none}}{{else if $.none}}{{end}}` +
			`{{end}}{{end}}`,
		"calls":            `{{range .tags}}{{range $.tags}}{{template "nothing"}}{{end}}{{end}}`,
		"shown nothing":    `{{range .tags}}{{range $.tags}}{{$.none}}{{end}}{{end}}`,
		"continue":         `{{range .tags}}{{range $.tags}}{{continue}}{{end}}{{end}}`,
		"range of nothing": `{{range .tags}}{{range $.tags}}x{{end}}{{range $.none}}{{end}}{{end}}`,
		"else of a range": `{{range .tags}}{{range $.tags}}x{{end}}{{range $.none}}{{else}}{{range $.tags}}x{{end}}` +
			`{{end}}{{end}}`,
		"an assigned range": `{{$x := ""}}{{range .tags}}{{range $x = $.tags}}{{end}}{{end}}`,
	} {
		t.Run(name, func(t *testing.T) {
			steps, foreseen := count(t, `{{define "nothing"}}{{end}}`, body, long(100))
			if steps < 100*100 {
				t.Errorf("%d steps, want one for every iteration at least", steps)
			}
			if steps > foreseen {
				t.Errorf("%d steps, and %d were estimated", steps, foreseen)
			}
		})
	}
}

// Every action is a step, in ranges and elsewhere.
func TestActionsAreSteps(t *testing.T) {
	for _, action := range []string{
		`{{$x := 1}}`, `{{if .none}}{{end}}`, `{{with .none}}{{end}}`, `{{range .none}}{{end}}`,
		`{{template "nothing"}}`, `{{.none}}`,
	} {
		t.Run(action, func(t *testing.T) {
			steps, foreseen := count(t, `{{define "nothing"}}{{end}}`, strings.Repeat(action, 90), long(1))
			none, _ := count(t, ``, ``, long(1))
			if steps < none+90 || steps > foreseen {
				t.Errorf("%d steps, %d without the actions, and %d were estimated", steps, none, foreseen)
			}
		})
	}
}

// count executes a home page and returns its steps and its estimated cost.
func count(t testing.TB, defines, body string, data map[string]any) (steps, foreseen int) {
	t.Helper()
	templates := sampleTheme(t,
		map[string]string{"templates/home.html": defines + `{{define "content"}}` + body + `{{end}}`})
	src, errs := read(templates)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if errs := src.check(assets); len(errs) > 0 {
		t.Fatal(errs)
	}
	visible, err := src.visible("home")
	if err != nil {
		t.Fatal(err)
	}
	costs, err := checkCost("", src.root, visible)
	if err != nil {
		t.Fatal(err)
	}
	page, err := src.page("home")
	if err != nil {
		t.Fatal(err)
	}
	m := newMeter(new(bytes.Buffer), time.Hour)
	if err := execute(page, m, data); err != nil {
		t.Fatal(err)
	}
	return m.steps, costs[src.root].steps
}

// Text does not grow from step to step: results of functions end at maxText.
func TestTextDoesNotGrow(t *testing.T) {
	for name, content := range map[string]string{
		"join with itself": `{{$x := "ab"}}{{range .tags}}{{$x = join $.tags $x}}{{end}}{{$x}}`,
		"join twice": `{{$x := .text}}{{range .tags}}{{$x = join $.tags $x}}{{$x = join $.tags $x}}` +
			`{{end}}{{$x}}`,
		"truncate and join": `{{$x := .text}}{{range .tags}}{{$x = join $.tags (truncate 2000 $x)}}{{end}}{{$x}}`,
		"upper and join":    `{{$x := "ŉ"}}{{range .tags}}{{$x = upper (join $.tags (upper $x))}}{{end}}{{$x}}`,
		"default and or": `{{$x := "ab"}}{{range .tags}}{{$x = default (join $.tags $x) $.none}}{{$x = or $.none ` +
			`(join $.tags $x)}}{{end}}{{$x}}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := body(t, content, long(100)); len(got) > maxText {
					t.Errorf("the text has %d bytes", len(got))
				}
			})
		})
	}
}
