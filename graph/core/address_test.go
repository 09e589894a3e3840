package core_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/graphtest"
	"github.com/storefront-go/storefront/graph/model"
)

func TestCheckAddress(t *testing.T) {
	whole := func() *model.AddressInput {
		return &model.AddressInput{Name: new("Jo Doe"), Line1: "Way 1", City: "Bonn", PostalCode: new("53111"),
			Country: "de", Phone: new("+49 228 1")}
	}
	c := &core.Check{}
	got := string(document.NewAddress(core.CheckAddress(c, "a", whole())))
	want := `{"name":"Jo Doe","company":null,"line1":"Way 1","line2":null,"city":"Bonn","region":null,` +
		`"postal_code":"53111","country":"DE","phone":"+49 228 1"}`
	if got != want || c.Err() != nil {
		t.Errorf("got %s, %v", got, c.Err())
	}
	if core.CheckAddress(c, "a", nil) != nil {
		t.Error("an absent address is not nil")
	}
	for want, edit := range map[string]func(*model.AddressInput){
		"#/a/name too_short":         func(a *model.AddressInput) { a.Name = new("") },
		"#/a/company invalid_format": func(a *model.AddressInput) { a.Company = new("a\nb") },
		"#/a/line1 too_short":        func(a *model.AddressInput) { a.Line1 = " " },
		"#/a/line2 too_long":         func(a *model.AddressInput) { a.Line2 = new(strings.Repeat("é", 256)) },
		"#/a/city too_short":         func(a *model.AddressInput) { a.City = "" },
		"#/a/region too_long":        func(a *model.AddressInput) { a.Region = new(strings.Repeat("x", 256)) },
		"#/a/postal_code too_long":   func(a *model.AddressInput) { a.PostalCode = new(strings.Repeat("1", 33)) },
		"#/a/country invalid_format": func(a *model.AddressInput) { a.Country = "DEU" },
		"#/a/phone too_long":         func(a *model.AddressInput) { a.Phone = new(strings.Repeat("1", 65)) },
	} {
		c, a := &core.Check{}, whole()
		edit(a)
		core.CheckAddress(c, "a", a)
		if got := graphtest.FieldOf(c.Err()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, country := range []string{"", "D", "1A", "ßß", "ſa", "D E"} {
		c := &core.Check{}
		if c.Country("country", country); c.Err() == nil {
			t.Errorf("country %q is accepted", country)
		}
	}
}

func TestCheckEmail(t *testing.T) {
	for address, good := range map[string]bool{
		"jo@example.com": true, "JÖ+x@bücher.example": true,
		"": false, "jo": false, "@example.com": false, "jo@": false, "a@b@c": false, "a b@c": false,
		"a@b\u00a0c": false, strings.Repeat("a", 250) + "@b.de": false,
	} {
		c := &core.Check{}
		if c.Email("email", address); (c.Err() == nil) != good {
			t.Errorf("%q: %v", address, c.Err())
		}
	}
}
