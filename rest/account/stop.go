package account

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/rest/page"
)

// Stop serves /emails/stop/{token}, where someone without an account stops a store's emails. Mail
// programs post there without showing a page (RFC 8058), so it needs neither an account nor a
// cookie.
func (a *Account) Stop() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := a.stopped(w, r); ok {
			a.pages.Render(w, r, http.StatusOK, "stop", r.URL.Path)
		}
	}, func(w http.ResponseWriter, r *http.Request, _ url.Values) {
		store, address, ok := a.stopped(w, r)
		if !ok {
			return
		}
		if err := notify.Stop(viewer.Operator(r.Context(), store), a.Core.Store, address); err != nil {
			a.failed(w, r, err)
			return
		}
		page.Message(w, r, http.StatusOK, "Emails stopped", "This shop sends you no more emails unless you order "+
			"there.")
	})
}

// stopped returns what a link stops, or answers that it does not work.
func (a *Account) stopped(w http.ResponseWriter, r *http.Request) (store xid.ID, address digest.Sum, ok bool) {
	if store, address, ok = a.Core.Links.Stop(tokenOf(r, link.StopRoot)); !ok {
		a.over(w, r, fault.Missing("link"), "Open the link in the email again.")
	}
	return store, address, ok
}

// Unsubscribe serves /emails/unsubscribe/{token}, where the recipient of a marketing email stops all of a
// store, as at [Account.Stop].
func (a *Account) Unsubscribe() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		if _, _, _, ok := a.subscriber(w, r); ok {
			a.pages.Render(w, r, http.StatusOK, "unsubscribe", r.URL.Path)
		}
	}, func(w http.ResponseWriter, r *http.Request, _ url.Values) {
		store, customer, address, ok := a.subscriber(w, r)
		if !ok {
			return
		}
		if err := a.Core.StopMarketing(viewer.Shopper(r.Context(), store), customer, address); err != nil {
			a.failed(w, r, err)
			return
		}
		page.Message(w, r, http.StatusOK, "Unsubscribed",
			"This shop sends you no more reminders and news. Emails about your orders still arrive.")
	})
}

// subscriber returns who unsubscribes with a link, or answers that it does not work.
func (a *Account) subscriber(w http.ResponseWriter, r *http.Request) (
	store, customer xid.ID, address digest.Sum, ok bool,
) {
	store, customer, address, ok = a.Core.Links.MarketingStop(tokenOf(r, link.MarketingStopRoot))
	if !ok {
		a.over(w, r, fault.Missing("link"), "Open the link in the email again.")
	}
	return store, customer, address, ok
}

// StopAlert serves /emails/alerts/{token}, where a member of a store stops emails about a topic as
// at [Account.Stop].
func (a *Account) StopAlert() http.Handler {
	return a.pair(func(w http.ResponseWriter, r *http.Request) {
		if _, _, topic, ok := a.alert(w, r); ok {
			about := "the daily summary"
			if topic != "" {
				about = strings.ReplaceAll(string(topic), "_", " ") + " notifications"
			}
			a.pages.Render(w, r, http.StatusOK, "alert", struct{ About, Path string }{about, r.URL.Path})
		}
	}, func(w http.ResponseWriter, r *http.Request, _ url.Values) {
		store, person, topic, ok := a.alert(w, r)
		if !ok {
			return
		}
		err := notify.StopAlert(viewer.Operator(r.Context(), store), a.Core.Store, person, topic)
		if err != nil {
			a.failed(w, r, err)
			return
		}
		page.Message(w, r, http.StatusOK, "Emails stopped", "You get no more of these emails. You can turn them on "+
			"again in the dashboard.")
	})
}

// alert returns what a link stops, "" for daily summaries, or answers that it does not work.
func (a *Account) alert(w http.ResponseWriter, r *http.Request) (
	store, person xid.ID, topic state.AlertTopic, ok bool,
) {
	store, person, number, ok := a.Core.Links.Alert(tokenOf(r, link.AlertStopRoot))
	topics := state.AlertTopics()
	if ok = ok && number <= len(topics); !ok {
		a.over(w, r, fault.Missing("link"), "Open the link in the email again.")
	} else if number > 0 {
		topic = topics[number-1]
	}
	return store, person, topic, ok
}
