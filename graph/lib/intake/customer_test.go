package intake_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/state"
)

func TestCustomers(t *testing.T) {
	const shopify = "Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company," +
		"Default Address Address1,Default Address City,Default Address Country Code,Default Address Zip,Phone,Note," +
		"Tax Exempt,Tags\n"
	for _, tc := range []struct{ name, file, want string }{
		{"own", "customer_id,email,first_name,default_address_line1,default_address_city,default_address_country,tags," +
			"addresses\ncus_1,a@example.com,,1 Road,Bath,gb,\"[\"\"a\"\"]\",[]\n",
			`{"addresses":[],"default_address":{"city":"Bath","country":"GB","line1":"1 Road"},"email":"a@example.com",` +
				`"first_name":null,"tags":["a"]}`},
		{"shopify", shopify + "7,Ada,King,a@example.com,yes,,1 Road,Bath,GB,BA1,'+441,Note,no,\"a, b\"\n",
			`{"default_address":{"city":"Bath","country":"GB","line1":"1 Road","name":"Ada King","postal_code":"BA1"},` +
				`"email":"a@example.com","email_marketing":"subscribed","first_name":"Ada","last_name":"King",` +
				`"note":"Note","phone":"+441","tags":["a","b"],"tax_exempt":false}`},
		{"half an address", shopify + "7,Ada,,a@example.com,no,,1 Road,,GB,,,,,\n",
			`"first_name":"Ada","last_name":null,"note":null,"phone":null,"tags":[]} The address lacks`},
		{"woocommerce", "Name,Username,Sign Up,Email,Country / Region,City\nAda B King,ada,2024-05-06 07:08:09," +
			"a@example.com,,\n", `"created_at":"2024-05-06T07:08:09Z","default_address":null,"email":"a@example.com",` +
			`"first_name":"Ada B","last_name":"King"}`},
		{"billing", "user_email,billing_address_1,billing_city,billing_country\na@example.com,1 Road,Bath,GB\n",
			`"default_address":{"city":"Bath","country":"GB","line1":"1 Road"}`},
		{"foreign", "E-Mail;Name\na@example.com;King\n", `{"email":"a@example.com","last_name":"King"}`},
		{"time", "email,created_at\na@example.com,yesterday\n", "The created at is not a time"},
		{"json", "email,addresses\na@example.com,[\n", "valid JSON"},
		{"long note", "email,note\na@example.com," + strings.Repeat("x", 10_000) + "\n", "The note is shortened"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all, err := readKind(t, state.ImportCustomers, tc.file, 0)
			if err != nil || len(all) != 1 {
				t.Fatalf("%d records, %v", len(all), err)
			}
			got := string(all[0].JSON) + all[0].Problem + " " + strings.Join(all[0].Notes, " ")
			if !strings.Contains(got, tc.want) || strings.Contains(all[0].Name, "@") {
				t.Errorf("%s: got %s, want %s", all[0].Name, got, tc.want)
			}
		})
	}
}
