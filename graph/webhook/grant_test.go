package webhook

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/xid"
)

// What apps may have is remembered for a moment, and no longer: the memory does not
// grow with every app that ever had an endpoint.
func TestGrantsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Config{Store: new(ent.Store)})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if _, err := e.dispatcher.scopesOf(t.Context(), xid.New(), &app{xid.New(), xid.New()}); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Second)
		}
		if n := len(e.grants.known); n > 10 {
			t.Errorf("%d grants are remembered after 100 seconds of 100 apps", n)
		}
	})
}
