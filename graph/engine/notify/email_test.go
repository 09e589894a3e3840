package notify_test

import (
	"context"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/storetest"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// An email with text and HTML arrives with both, under the name of the shop. No name can add a
// header.
func TestLetterInBothForms(t *testing.T) {
	s, p := staffed(t, storetest.Open(t)), new(post).open(t, listen(t), nil)
	n, err := notify.New(api)
	if err != nil {
		t.Fatal(err)
	}
	s.write(func(ctx context.Context, c *db.Client) error {
		return n.Send(ctx, c, notify.Email{To: "ada@example.com", Of: s.row.ID, Subject: "Ihre Bestellung",
			Body: "Guten Tag", HTML: "<p>Guten <b>Tag</b></p>", From: "Müller\r\nBcc: eve@example.com"})
	})
	s.round(s.sender(plainly(p), nil))
	m := p.mails()[0].message(t)
	from, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("From"))
	if err != nil || !strings.Contains(from, "Müller Bcc: eve@example.com") || m.Header.Get("Bcc") != "" {
		t.Errorf("from %q (%v), bcc %q", from, err, m.Header.Get("Bcc"))
	}
	if p.mails() != nil {
		t.Error("one email went out twice")
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("%s (%v)", kind, err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for _, want := range [][2]string{{"text/plain", "Guten Tag"}, {"text/html", "<p>Guten <b>Tag</b></p>"}} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil || !strings.HasPrefix(part.Header.Get("Content-Type"), want[0]) ||
			strings.TrimSpace(string(text)) != want[1] {
			t.Errorf("%s: %q (%v), want %q", part.Header.Get("Content-Type"), text, err, want)
		}
	}
}
