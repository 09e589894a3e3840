package storefront_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storefront-go/storefront/graph/domain/storefront"
)

func TestParagraphs(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, " \n\n": nil, "One": {"One"}, "One\ntwo": {"One\ntwo"}, "One\n\ntwo": {"One", "two"},
		"\r\n One \r\n \t \r\n\r\nTwo\r\nthree\r\n": {"One", "Two\nthree"},
	} {
		if d := cmp.Diff(want, storefront.Paragraphs(text)); d != "" {
			t.Errorf("%q:\n%s", text, d)
		}
	}
}
