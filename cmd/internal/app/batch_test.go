package app

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// writes counts its calls.
type writes struct {
	mu  sync.Mutex
	all bytes.Buffer
	n   int
}

func (w *writes) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	return w.all.Write(b)
}

func (w *writes) lines() (lines []string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Split(strings.TrimSpace(w.all.String()), "\n"), w.n
}

func TestLinesAreWrittenTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out writes
		want := 0
		wrote := func(when string, writes int, last string) {
			t.Helper()
			want += writes
			lines, n := out.lines()
			if n != want || !strings.Contains(lines[len(lines)-1], last) {
				t.Errorf("%s: %d writes, want %d; the last line is %s", when, n, want, lines[len(lines)-1])
			}
		}
		log, flush := Log{LogFormat: "json", LogLevel: "info"}.Logger(&out)
		log = log.With("a", 1).WithGroup("g")
		log.Info("one")
		log.Info("two")
		log.Debug("nothing")
		wrote("at once", 0, "")
		time.Sleep(batchTime)
		synctest.Wait()
		wrote("after a while", 1, "two")
		log.Info("three")
		log.Warn("four")
		wrote("with a warning", 1, "four")
		time.Sleep(time.Second)
		synctest.Wait()
		wrote("after it", 0, "four")
		log.Info("five", "long", strings.Repeat("x", batchSize))
		wrote("with many bytes", 1, "five")
		log.Info("six")
		flush()
		wrote("at the end", 1, "six")
		lines, _ := out.lines()
		for i, word := range []string{"one", "two", "three", "four", "five", "six"} {
			if line := lines[i]; !strings.Contains(line, `"msg":"`+word+`"`) ||
				!strings.Contains(line, `"a":1`) {
				t.Errorf("line %d is %.100s", i, line)
			}
		}
	})
}
