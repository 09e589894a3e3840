package document

import "github.com/storefront-go/storefront/ent/state"

// Alerts is a JSON object of a person's [Alert]s in a store, by topic. Missing topics have the
// defaults.
type Alerts []byte

// Alert is how a person is informed of a topic.
type Alert struct {
	// Notice says that the notifications of their dashboard include the topic.
	Notice bool             `json:"notice"`
	Email  state.AlertEmail `json:"email"`
}

// NewAlerts encodes alerts, sorted by topic.
func NewAlerts(of map[state.AlertTopic]Alert) Alerts { return encode(of) }

// Map decodes the alerts; an absent document has none.
func (a Alerts) Map() (map[state.AlertTopic]Alert, error) {
	return decode[map[state.AlertTopic]Alert](a)
}
