package oauth

import (
	"testing"

	"github.com/storefront-go/storefront/rest/page"
)

func TestTemplates(t *testing.T) {
	pages, err := page.New(templates, nil)
	if err == nil {
		err = pages.Check()
	}
	if err != nil {
		t.Error(err)
	}
}
