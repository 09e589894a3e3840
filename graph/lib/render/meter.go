package render

import (
	"bytes"
	"time"
)

const (
	maxSteps = budget          // of one page; see the package comment
	maxTime  = 2 * time.Second // of a page that does not reach maxSteps before
	look     = 16              // steps between two checks of the clock
)

// meter is the writer of a page. It ends the page at its limits.
type meter struct {
	buf   *bytes.Buffer
	steps int
	end   time.Time
}

func newMeter(buf *bytes.Buffer, limit time.Duration) *meter {
	return &meter{buf: buf, end: time.Now().Add(limit)}
}

// Write implements io.Writer. Each call is a step.
func (m *meter) Write(b []byte) (int, error) {
	m.steps++
	switch {
	case m.steps > maxSteps:
		return 0, ErrTooLong
	case m.steps%look == 0 && time.Now().After(m.end):
		return 0, ErrTooSlow
	case m.buf.Len()+len(b) > MaxOutput:
		return 0, ErrTooLarge
	}
	return m.buf.Write(b)
}
