package images

import (
	"net/http"
	"testing"
	"time"
)

// TestTemporary: only a failure that may pass is tried again.
func TestTemporary(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	each(t, func(t *testing.T, s *studio) {
		for _, tc := range []struct {
			name  string
			serve http.HandlerFunc
			want  bool
		}{
			{"missing", status(http.StatusNotFound), false}, {"forbidden", status(http.StatusForbidden), false},
			{"down", status(http.StatusBadGateway), true}, {"busy", status(http.StatusTooManyRequests), true},
			{"large", show(large), false},
			{"slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, true},
			{"inside", func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://10.0.0.1/", http.StatusFound)
			}, false},
		} {
			s.serve, s.fetchTime = tc.serve, fetchTime
			if tc.name == "slow" {
				s.fetchTime = 50 * time.Millisecond
			}
			_, err := s.Download(s.ctx, s.host.URL+"/a.png")
			if _, ok := Refused(err); !ok || Temporary(err) != tc.want {
				t.Errorf("%s: %v is temporary: %v", tc.name, err, Temporary(err))
			}
		}
	})
}
