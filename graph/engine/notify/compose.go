package notify

import (
	"cmp"
	"crypto"
	"encoding/base64"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"unicode/utf8"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"github.com/storefront-go/storefront/ent/db"
)

var errAddress = errors.New("not a valid email address")

// ParseSender parses the address that emails come from, with or without a name: "Storefront
// <notices@shop.example>".
func ParseSender(from string) (*netmail.Address, error) {
	a, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, errors.New("not an email address such as notices@shop.example")
	}
	if a.Address, err = ascii(a.Address); err != nil {
		return nil, err
	}
	a.Name = oneLine(a.Name)
	return a, nil
}

// compose returns the message of a row. It is the same for every attempt: its Message-ID and time
// come from the row, so that a mail program can recognize a repeat (RFC 5322, section 3.6.4). Returned
// emails go to the service's address (from) even if the store's own is shown.
func compose(from *netmail.Address, own *OwnSender, row *db.Mail) (*mail.Msg, error) {
	to, err := recipient(row.Recipient)
	if err != nil {
		return nil, err
	}
	domain := from.Address[strings.LastIndexByte(from.Address, '@')+1:]
	m := mail.NewMsg(mail.WithNoDefaultUserAgent())
	m.EnvelopeFromMailAddress(&netmail.Address{Address: from.Address})
	if own == nil {
		m.FromMailAddress(sender(from, row))
	} else {
		m.FromMailAddress(&netmail.Address{Name: breakEncodedWords(*row.SenderName), Address: own.Address})
	}
	m.ToMailAddress(to)
	m.Subject(encodeSubject(oneLine(row.Subject)))
	m.SetMessageIDWithValue(row.ID.String() + "@" + domain)
	m.SetDateWithValue(row.ID.Time().Time())
	// Automatic responders must not reply (RFC 3834, section 5).
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	if row.ReplyTo != nil {
		answers, err := recipient(*row.ReplyTo)
		if err != nil {
			return nil, err
		}
		m.ReplyToMailAddress(answers)
	}
	if row.StopURL != nil { // one click, without a page (RFC 8058)
		m.SetGenHeader(mail.HeaderListUnsubscribe, "<"+*row.StopURL+">")
		m.SetGenHeader(mail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	m.SetBodyString(mail.TypeTextPlain, fold(row.Body))
	if row.HTML != nil {
		m.AddAlternativeString(mail.TypeTextHTML, *row.HTML)
	}
	if own != nil {
		return m, own.sign(m)
	}
	return m, nil
}

// OwnSender is an address of a store's own, with the key that signs its emails (DKIM, RFC 6376).
type OwnSender struct {
	Address, Selector string
	Key               crypto.Signer
}

// signedFields are the fields that a reader sees or a mail program obeys (RFC 6376, section 5.4.1; RFC
// 8058, section 4). The repeated ones sign that there is no second such field.
var signedFields = []string{"From", "To", "Reply-To", "Subject", "Date", "Message-ID", "Content-Type", "MIME-Version",
	"List-Unsubscribe", "List-Unsubscribe-Post", "From", "To", "Reply-To", "Subject"}

// sign adds the signature to a complete email. The signer of the mail library folds long lists of
// fields within a name, so that they do not verify.
func (o *OwnSender) sign(m *mail.Msg) error {
	s, err := dkim.NewSigner(&dkim.SignOptions{Domain: o.Address[strings.LastIndexByte(o.Address, '@')+1:],
		Selector: o.Selector, Signer: o.Key, HeaderKeys: signedFields,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed})
	if err != nil {
		return fmt.Errorf("sign an email: %w", err)
	}
	_, err = m.WriteTo(s)
	if err = errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("sign an email: %w", err)
	}
	name, value, _ := strings.Cut(s.Signature(), ":")
	m.SetGenHeaderPreformatted(mail.Header(name), strings.TrimSpace(value))
	return nil
}

// sender returns the From of an email with the service's address. The name of an email from a store
// includes the service's name, so that no store can impersonate someone else.
func sender(from *netmail.Address, row *db.Mail) *netmail.Address {
	if row.SenderName == nil {
		return &netmail.Address{Name: breakEncodedWords(from.Name), Address: from.Address}
	}
	service := cmp.Or(from.Name, from.Address[strings.LastIndexByte(from.Address, '@')+1:])
	return &netmail.Address{Name: breakEncodedWords(*row.SenderName + " via " + service), Address: from.Address}
}

// wordStart begins an encoded word of a header (RFC 2047, section 2).
const wordStart = "=?"

// breakEncodedWords breaks what looks like an encoded word. The library writes names in quotes, and
// some readers decode encoded words even there.
func breakEncodedWords(name string) string { return strings.ReplaceAll(name, wordStart, "= ?") }

// wordBytes is how many bytes of text go into one encoded word, which has at most 75 characters.
const wordBytes = 45

// encodeSubject encodes a text that contains what looks like an encoded word, so that readers see
// the literal text.
func encodeSubject(s string) string {
	if !strings.Contains(s, wordStart) {
		return s
	}
	var words []string
	part := ""
	for _, r := range s {
		if len(part)+utf8.RuneLen(r) > wordBytes {
			words, part = append(words, word(part)), ""
		}
		part += string(r)
	}
	return strings.Join(append(words, word(part)), " ")
}

func word(s string) string {
	return "=?utf-8?b?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}

func recipient(address string) (*netmail.Address, error) {
	a, err := netmail.ParseAddress(address)
	if err != nil || a.Name != "" || a.Address != address {
		return nil, errAddress
	}
	if a.Address, err = ascii(a.Address); err != nil {
		return nil, errAddress
	}
	return a, nil
}

// ascii converts the domain of an address to its DNS form, because few mail servers accept another.
func ascii(address string) (string, error) {
	at := strings.LastIndexByte(address, '@')
	domain, err := idna.Lookup.ToASCII(address[at+1:])
	if err != nil {
		return "", fmt.Errorf("the domain of the address: %w", err)
	}
	return address[:at+1] + domain, nil
}
