package model

import (
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
)

// Domain is a domain of a store with the DNS records that prove it.
type Domain struct {
	*db.Domain
	Status state.DomainStatus
	// TXTName and TXTValue are the TXT record, CnameTarget the target of the CNAME record.
	TXTName, TXTValue, CnameTarget string
	// Primary says that visitors arrive here.
	Primary bool
	// Checking says that the result of a check is awaited.
	Checking bool
	// Certificate is nil if the server does not obtain certificates.
	Certificate *DomainCertificate
}

// DomainCertificate is the certificate of a domain: until when it is valid, and why the next one
// was not issued.
type DomainCertificate struct {
	ExpiresAt *micros.Time
	Problem   *string
	RetryAt   *micros.Time
}
