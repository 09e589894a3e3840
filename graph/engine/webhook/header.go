package webhook

import (
	"encoding/json"
	"fmt"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/webhook/attempt"
)

// Header is a custom header of an endpoint.
type Header = attempt.Field

// SealHeaders encrypts the custom headers of an endpoint. Without headers it returns nil.
func (v Vault) SealHeaders(endpoint xid.ID, headers []Header) []byte {
	if len(headers) == 0 {
		return nil
	}
	text, _ := json.Marshal(headers) //nolint:errchkjson // strings always encode
	return v.Seal(endpoint, string(text))
}

// OpenHeaders decrypts the result of [Vault.SealHeaders].
func (v Vault) OpenHeaders(endpoint xid.ID, sealed []byte) (headers []Header, err error) {
	if len(sealed) == 0 {
		return nil, nil
	}
	text, err := v.Open(endpoint, sealed)
	if err != nil {
		return nil, fmt.Errorf("open headers: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &headers); err != nil {
		return nil, fmt.Errorf("read the headers of %s: %w", xid.WebhookEndpoint.Format(endpoint), err)
	}
	return headers, nil
}
