package theme

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
)

// SectionsSetting is the text setting whose value is the list of a home page's sections, as JSON.
// Themes without it have no sections.
const SectionsSetting = "home_sections"

// Kinds of sections.
const (
	SectionImage      = "image"
	SectionText       = "text"
	SectionCollection = "collection"
	SectionProducts   = "products"
)

// Section is one block of a home page. Absent members are "".
type Section struct {
	Kind  string `json:"kind"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	// Image is the path of an uploaded image, and Alt describes it.
	Image string `json:"image,omitempty"`
	Alt   string `json:"alt,omitempty"`
	// Link is a path of the shop or an https address, and Label its text.
	Link  string `json:"link,omitempty"`
	Label string `json:"label,omitempty"`
	// Collection is the id of a collection, and Products are ids of products.
	Collection string   `json:"collection,omitempty"`
	Products   []string `json:"products,omitempty"`
}

// maxSections bounds the value of the setting, in bytes.
const maxSections = 64 << 10

// ReadSections reads the value of [SectionsSetting]; "" has no sections. Its error is a sentence for
// the merchant.
func ReadSections(value string) (list []Section, err error) {
	if value == "" {
		return nil, nil
	}
	if len(value) > maxSections {
		return nil, errors.New("The sections are longer than 64 KiB.") //nolint:staticcheck // a sentence
	}
	d := json.NewDecoder(strings.NewReader(value))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil || !atEnd(d) {
		return nil, errors.New("The sections are not a JSON list of known members.") //nolint:staticcheck // a sentence
	}
	if len(list) > limit.ThemeSections {
		return nil, errors.New(
			"There are more than " + strconv.Itoa(limit.ThemeSections) + " sections.")
	}
	for i, s := range list {
		if problem := s.problem(); problem != "" {
			return nil, errors.New("Section " + strconv.Itoa(i+1) + ": " + problem)
		}
	}
	return list, nil
}

func atEnd(d *json.Decoder) bool {
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}

// problem returns what is wrong with a section, or "".
func (s Section) problem() string {
	is := func(kind xid.Kind) func(string) bool {
		return func(text string) bool { _, err := kind.Parse(text); return err == nil }
	}
	switch {
	case !slices.Contains([]string{SectionImage, SectionText, SectionCollection, SectionProducts}, s.Kind):
		return "The kind is unknown."
	case !fits(s.Title, limit.Line, false), !fits(s.Label, limit.Line, false), !fits(s.Alt, limit.ImageAlt, false):
		return "The title, the description or the link text is too long or has control characters."
	case !fits(s.Text, limit.CollectionText, true):
		return "The text is longer than " + strconv.Itoa(limit.CollectionText) + " characters."
	case s.Link != "" && !leads(s.Link):
		return "The link is neither a path of the shop nor a URL that starts with https://."
	case s.Image != "" && !strings.HasPrefix(s.Image, "/pictures/img_"):
		return "The image is not a file of the media library."
	case s.Kind == SectionImage && s.Image == "":
		return "Choose an image."
	case s.Kind == SectionText && s.Title == "" && s.Text == "":
		return "Enter a title or a text."
	case s.Kind == SectionCollection && !is(xid.Collection)(s.Collection):
		return "Choose a collection."
	case s.Kind == SectionProducts && len(s.Products) == 0:
		return "Choose products."
	case len(s.Products) > limit.SectionProducts || slices.ContainsFunc(s.Products,
		func(id string) bool { return !is(xid.Product)(id) }):
		return "Choose at most " + strconv.Itoa(limit.SectionProducts) + " products."
	}
	return ""
}

// fits reports whether a text has at most some characters, and no control characters but line
// breaks where these are allowed.
func fits(text string, most int, lines bool) bool {
	return utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && (!lines || r != '\n' && r != '\r')
	})
}

// leads reports whether a link leads to a path of the shop or to an https address.
func leads(to string) bool {
	own := strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//")
	return len(to) <= limit.URL && (own || strings.HasPrefix(to, "https://")) &&
		!strings.ContainsFunc(to, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f })
}
