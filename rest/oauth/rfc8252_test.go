package oauth_test

import (
	"net/http"
	"testing"

	"github.com/storefront-go/storefront/rest/oauth"
)

// reaches allows the app at an address, and fails the test unless the code arrives there and can be
// redeemed.
func (w *world) reaches(t *testing.T, uri string) {
	t.Helper()
	w.exchange(w.code("redirect_uri="+uri), "redirect_uri="+uri).tokens()
}

func TestRFC8252_7_1(t *testing.T) {
	w := sqlite(t)
	const uri = "com.example.app:/oauth2redirect"
	w.app = w.register(row{URIs: []string{uri}})
	t.Run("a private scheme takes the answer", func(t *testing.T) { w.reaches(t, uri) })
	t.Run("exactly as it is registered", func(t *testing.T) {
		for _, other := range []string{"com.example.app:/other",
			"com.example.app:/oauth2redirect/", "com.example.app2:/oauth2redirect",
			"COM.example.app:/oauth2redirect", "com.example.app://oauth2redirect",
			"com.example.app:/oauth2redirect?x=1"} {
			w.authorize(w.ada, "redirect_uri="+other).page(http.StatusBadRequest)
		}
	})
}

func TestRFC8252_7_2(t *testing.T) {
	w := sqlite(t)
	t.Run("a claimed https address takes the answer", func(t *testing.T) { w.reaches(t, callback) })
}

func TestRFC8252_7_3(t *testing.T) {
	w := sqlite(t)
	w.app = w.register(row{
		URIs: []string{"http://127.0.0.1/cb", "http://[::1]/cb", "http://127.0.0.1:7777/fixed", "http://127.0.0.1"},
	})
	for _, uri := range []string{
		"http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb", "http://127.0.0.1:80/cb",
		"http://[::1]/cb", "http://[::1]:51004/cb", "http://127.0.0.1:8080/fixed", "http://127.0.0.1:8080",
	} {
		t.Run("any port at the time of the request: "+uri, func(t *testing.T) { w.reaches(t, uri) })
	}
	for _, uri := range []string{
		"http://127.0.0.1:0/cb", "http://127.0.0.1:65536/cb", "http://127.0.0.1:/cb",
		"http://127.0.0.1:080/cb", "http://127.0.0.1:+80/cb",
		"http://127.0.0.1:80/cb/", "http://127.0.0.1:80/cb?x=1", "http://127.0.0.1:80/cb#x",
		"http://127.0.0.1:80/CB", "http://127.0.0.1:80/",
		"http://127.0.0.1:80@evil.test/cb", "http://127.0.0.1:80:80/cb",
		"http://user@127.0.0.1/cb", "http://127.0.0.1.evil.test/cb",
		"http://127.0.0.2/cb", "http://127.1/cb", "http://0x7f000001/cb", "http://2130706433/cb", "http://0.0.0.0/cb",
		"http://[::1%25lo]:80/cb", "http://[0:0:0:0:0:0:0:1]:80/cb",
		"http://[::ffff:127.0.0.1]/cb", "http://[::1]:8080/fixed",
		"https://127.0.0.1:80/cb", "HTTP://127.0.0.1:80/cb", "http:/127.0.0.1:80/cb",
		`http://127.0.0.1:80\@evil.test/cb`, `http:\\127.0.0.1/cb`,
	} {
		t.Run("and nothing else differs: "+uri, func(t *testing.T) {
			w.authorize(w.ada, "redirect_uri="+uri).page(http.StatusBadRequest)
		})
	}
	t.Run("a web address has no such freedom", func(t *testing.T) {
		w.app = w.register(row{})
		w.authorize(w.ada, "redirect_uri=https://app.test:8443/callback").page(http.StatusBadRequest)
	})
}

func TestRFC8252_8_3(t *testing.T) {
	w := sqlite(t)
	w.app = w.register(row{URIs: []string{"http://127.0.0.1/cb"}})
	for _, uri := range []string{
		"http://localhost/cb", "http://localhost:8080/cb", "http://LOCALHOST/cb", "http://app.localhost/cb",
	} {
		t.Run("localhost is no loopback address: "+uri, func(t *testing.T) {
			w.authorize(w.ada, "redirect_uri="+uri).page(http.StatusBadRequest)
		})
	}
}

func TestRFC8252_8_4(t *testing.T) {
	w := sqlite(t)
	t.Run("an unregistered client is unknown, and there is no open registration", func(t *testing.T) {
		w.authorize(w.ada, "client_id=http://127.0.0.1/cb", "redirect_uri=http://127.0.0.1/cb").
			page(http.StatusBadRequest)
		doc := w.send(http.MethodGet, oauth.MetadataPath, nil, "").document()
		if _, open := doc["registration_endpoint"]; open {
			t.Error("the metadata offers open registration")
		}
	})
	t.Run("the whole of a redirection URI is compared", func(t *testing.T) {
		for _, uri := range []string{"https://app.test", "https://app.test/", "https://app.test/callback2"} {
			w.authorize(w.ada, "redirect_uri="+uri).page(http.StatusBadRequest)
		}
	})
}

func TestRFC8252_8_6(t *testing.T) {
	w := sqlite(t)
	t.Run("consent is asked for every time, since anybody can name a public client", func(t *testing.T) {
		w.exchange(w.code()).tokens()
		if r := w.authorize(w.ada); r.status != http.StatusOK {
			t.Errorf("%d to %q", r.status, r.header.Get("Location"))
		}
	})
}
