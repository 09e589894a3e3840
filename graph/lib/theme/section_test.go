package theme_test

import (
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/theme"
)

func TestSections(t *testing.T) {
	col, prod := xid.Collection.Format(xid.New()), xid.Product.Format(xid.New())
	for value, want := range map[string]string{
		"":                                "",
		"[]":                              "",
		`[{"kind":"text","text":"a\nb"}]`: "",
		`[{"kind":"image","image":"/pictures/img_1/a.png","link":"/products"}]`: "",
		`[{"kind":"collection","collection":"` + col + `"}]`:                    "",
		`[{"kind":"products","products":["` + prod + `"]}]`:                     "",
		`{}`:                                  "JSON",
		`[] []`:                               "JSON",
		`[{"kind":"text","title":"a","x":1}]`: "JSON",
		`[{"kind":"video"}]`:                  "kind",
		`[{"kind":"image"}]`:                  "image",
		`[{"kind":"image","image":"https://a.example/b.png"}]`: "media library",
		`[{"kind":"text"}]`:                                                                       "Enter",
		`[{"kind":"text","title":"a\u0007"}]`:                                                     "control",
		`[{"kind":"text","title":"a","link":"javascript:x"}]`:                                     "link",
		`[{"kind":"text","title":"a","link":"//x.example"}]`:                                      "link",
		`[{"kind":"collection","collection":"` + prod + `"}]`:                                     "collection",
		`[{"kind":"products","products":["` + col + `"]}]`:                                        "products",
		`[` + strings.Repeat(`{"kind":"text","title":"a"},`, 20) + `{"kind":"text","title":"a"}]`: "20",
	} {
		list, err := theme.ReadSections(value)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if (want == "") != (said == "") || !strings.Contains(said, want) || err != nil && list != nil {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
}

// Whatever a value holds, its links lead to the shop or to https addresses.
func FuzzSections(f *testing.F) {
	f.Add(`[{"kind":"text","title":"a","link":"/a"}]`)
	f.Fuzz(func(t *testing.T, value string) {
		list, err := theme.ReadSections(value)
		for _, s := range list {
			own := strings.HasPrefix(s.Link, "/") && !strings.HasPrefix(s.Link, "//")
			if err != nil || s.Link != "" && !own && !strings.HasPrefix(s.Link, "https://") {
				t.Errorf("%q: %v, %v", value, s, err)
			}
		}
	})
}
