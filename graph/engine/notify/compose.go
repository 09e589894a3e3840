package notify

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"unicode/utf8"

	"github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"github.com/storefront-go/storefront/ent/db"
)

// errAddress says that mail cannot go to an address, now or later.
var errAddress = errors.New("not an address that mail can go to")

// ParseSender reads the address that mails come from, with or without a name:
// "Storefront <notices@shop.example>".
func ParseSender(from string) (*netmail.Address, error) {
	a, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, errors.New("not an e-mail address such as notices@shop.example")
	}
	if a.Address, err = ascii(a.Address); err != nil {
		return nil, err
	}
	a.Name = oneLine(a.Name)
	return a, nil
}

// compose makes the message of a row. Two tries of one row make the same
// message: its Message-ID and its time are the row's, so that a reader's program
// can recognise a repeat (RFC 5322, section 3.6.4).
func compose(from *netmail.Address, row *db.Mail) (*mail.Msg, error) {
	to, err := recipient(row.Recipient)
	if err != nil {
		return nil, err
	}
	domain := from.Address[strings.LastIndexByte(from.Address, '@')+1:]
	m := mail.NewMsg(mail.WithNoDefaultUserAgent())
	m.FromMailAddress(sender(from, row))
	m.ToMailAddress(to)
	m.Subject(encoded(oneLine(row.Subject)))
	m.SetMessageIDWithValue(row.ID.String() + "@" + domain)
	m.SetDateWithValue(row.ID.Time().Time())
	// Who answers by a program answers nobody (RFC 3834, section 5).
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
	return m, nil
}

// sender is the From of an email: the service's address. Where a store writes, its name comes
// with that of the service, so that no store passes for somebody else.
func sender(from *netmail.Address, row *db.Mail) *netmail.Address {
	if row.SenderName == nil {
		return &netmail.Address{Name: wordless(from.Name), Address: from.Address}
	}
	service := cmp.Or(from.Name, from.Address[strings.LastIndexByte(from.Address, '@')+1:])
	return &netmail.Address{Name: wordless(*row.SenderName + " via " + service), Address: from.Address}
}

// wordStart begins an encoded word of a header (RFC 2047, section 2).
const wordStart = "=?"

// wordless breaks what looks like an encoded word: the library writes names in quotes, and some
// readers decode words there too.
func wordless(name string) string { return strings.ReplaceAll(name, wordStart, "= ?") }

// wordBytes is how much of a text goes into one encoded word, which has at most 75 characters.
const wordBytes = 45

// encoded is a text for a header that reads as the very text: one that looks like an encoded
// word is encoded itself.
func encoded(s string) string {
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

// recipient reads an address as it is kept: nothing but the address.
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

// ascii writes the domain of an address as the DNS knows it, since few mail
// servers take others.
func ascii(address string) (string, error) {
	at := strings.LastIndexByte(address, '@')
	domain, err := idna.Lookup.ToASCII(address[at+1:])
	if err != nil {
		return "", fmt.Errorf("the domain of the address: %w", err)
	}
	return address[:at+1] + domain, nil
}
