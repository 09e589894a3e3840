package notify_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/graph/engine/notify"
)

func TestParseServer(t *testing.T) {
	for address, want := range map[string]string{
		"smtp://u:secret@mail.example:2525":               "mail.example:2525",
		"smtp://mail.example":                             "mail.example:587",
		"smtps://u%40example.com:secret%2f@mail.example/": "mail.example:465",
		"smtp://localhost:25?tls=none":                    "localhost:25",
		"smtp://[::1]?tls=optional":                       "[::1]:587",
		"smtp://mail.example?tls=required":                "mail.example:587",
		"":                                                "",
		"mail.example:25":                                 "",
		"http://u:secret@mail.example":                    "",
		"smtp://u:secret@":                                "",
		"smtp://u:secret@mail.example:0":                  "",
		"smtp://u:secret@mail.example:70000":              "",
		"smtp://u:secret@mail.example/path":               "",
		"smtp://u:secret@mail.example#x":                  "",
		"smtp://u:secret@mail.example?tls=maybe":          "",
		"smtp://u:secret@mail.example?tsl=none":           "",
		"smtp://u:secret@mail.example?tls=none;x":         "",
		"smtps://u:secret@mail.example?tls=none":          "",
		"smtp://u@mail.example":                           "",
		"smtp://:secret@mail.example":                     "",
		"smtp://u:secret@mail.example:x":                  "",
		"smtp://u:sec ret%zz@mail.example":                "",
		"smtp://u:secret@mail.example\r\nx":               "",
		"smtp:mail.example":                               "",
	} {
		s, err := notify.ParseServer(address)
		if (err == nil) != (want != "") || err == nil && s.String() != want {
			t.Errorf("%q: got %s, %v; want %q", address, s, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: the error is %v", address, err)
		}
	}
}

// No formatting of the settings shows the password.
func TestServerHidesItsPassword(t *testing.T) {
	s, err := notify.ParseServer("smtp://user:secret@mail.example")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&b, nil))
	log.Info("settings", "server", s, "config", struct{ Server notify.Server }{s})
	fmt.Fprintf(&b, "%v %+v %#v %s %v", s, s, s, s, notify.SenderConfig{Server: s})
	if strings.Contains(b.String(), "secret") || strings.Contains(b.String(), "user") ||
		!strings.Contains(b.String(), "mail.example:587") {
		t.Errorf("shown: %s", &b)
	}
}

func TestParseSender(t *testing.T) {
	for from, want := range map[string]string{
		"notices@shop.example":                "<notices@shop.example>",
		"Storefront <notices@shop.example>":   `"Storefront" <notices@shop.example>`,
		"Läden <notices@bücher.example>":      "=?utf-8?q?L=C3=A4den?= <notices@xn--bcher-kva.example>",
		"":                                    "",
		"notices":                             "",
		"a@shop.example, b@shop.example":      "",
		"Shop\r\nBcc: x@y.z <a@shop.example>": "",
	} {
		a, err := notify.ParseSender(from)
		if (err == nil) != (want != "") || err == nil && a.String() != want {
			t.Errorf("%q: got %v, %v; want %q", from, a, err, want)
		}
	}
}
