package requestlog

// The bounds, for tests.
var (
	OfSubject = ofSubject
	OfStore   = ofStore
)

// Room bounds the waiting rows: errors, then successes.
const (
	Room             = roomForErrors
	RoomForSuccesses = roomForSuccesses
	MaxWindows       = maxWindows
)

// Waiting returns how many refused and answered requests wait to be written.
func (l *Log) Waiting() (refusedOnes, answeredOnes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.pending {
		if r.Status >= 400 {
			refusedOnes++
		} else {
			answeredOnes++
		}
	}
	return refusedOnes, answeredOnes
}

// Windows returns how many keys, apps and stores are counted.
func (l *Log) Windows() int { return len(l.windows) }

// Drop takes what waits, as a round does, and returns how many were left out in the minutes that
// have ended.
func (l *Log) Drop() (omitted int64) {
	_, windows := l.swap(false)
	for _, o := range omissions(windows) {
		omitted += o.count
	}
	return omitted
}
