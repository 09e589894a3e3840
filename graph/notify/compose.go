package notify

import (
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"

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
	m.Subject(oneLine(row.Subject))
	m.SetMessageIDWithValue(row.ID.String() + "@" + domain)
	m.SetDateWithValue(row.ID.Time().Time())
	// Who answers by a program answers nobody (RFC 3834, section 5).
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(mail.TypeTextPlain, fold(row.Body))
	if row.HTML != nil {
		m.AddAlternativeString(mail.TypeTextHTML, *row.HTML)
	}
	return m, nil
}

// sender is who a mail comes from: the service's address, under the name of who writes.
func sender(from *netmail.Address, row *db.Mail) *netmail.Address {
	if row.SenderName == nil {
		return from
	}
	return &netmail.Address{Name: *row.SenderName, Address: from.Address}
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
