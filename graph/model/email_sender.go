package model

import "github.com/storefront-go/storefront/ent/db"

// EmailSending is how the emails of a store are sent.
type EmailSending struct {
	// Allowed says that stores may send from addresses of their own.
	Allowed bool
	Sender  *EmailSender
}

// EmailSender is an address of a store's own with the DNS record that proves it.
type EmailSender struct {
	*db.MailSender
	// TXTName and TXTValue are the TXT record.
	Address, TXTName, TXTValue string
	// Checking says that the result of a check is awaited.
	Checking bool
}
