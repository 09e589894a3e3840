package country_test

import (
	"testing"

	"github.com/storefront-go/storefront/graph/lib/country"
)

func TestVATID(t *testing.T) {
	for text, want := range map[string][2]string{
		"DE136695976": {"DE136695976", "DE"}, "de 136.695-976": {"DE136695976", "DE"},
		"ATU12345678": {"ATU12345678", "AT"}, "el123456789": {"EL123456789", "GR"},
		"IE1234567WA": {"IE1234567WA", "IE"}, "NL123456789B01": {"NL123456789B01", "NL"},
		"ESX9999999R": {"ESX9999999R", "ES"}, "LT123456789012": {"LT123456789012", "LT"},
		"GR123456789": {}, "DE12345678": {}, "AT12345678": {}, "CHE123456789": {}, "LT1234567890": {}, "": {}, "D": {},
		"DE136695976\n": {}, "GB123456789": {}, "DE１３６６９５９７６": {},
	} {
		id, code, ok := country.VATID(text)
		if got := [2]string{id, code}; got != want || ok != (want[0] != "") {
			t.Errorf("%q: %v, %v, want %v", text, got, ok, want)
		}
	}
}
