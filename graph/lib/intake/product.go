package intake

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
)

const maxOptions = limit.Options

// mapper turns the rows of a product into members of an export.
type mapper struct {
	*Record
	rows     []*row
	currency string
	members  map[string]any
	shows    map[*row]*picture // the images of variants
}

// readProduct sets the JSON of a record, or its problem.
func readProduct(f *Form, r *Record, rows []*row) {
	m := &mapper{Record: r, rows: rows, currency: f.currency, members: map[string]any{}}
	first := rows[0]
	for _, key := range []string{"handle", "external_reference", "sku", "title"} {
		if r.Name == "" {
			r.Name = Clip(lineOf(first.get(key)), limit.Line)
		}
	}
	if yes(first.get("gift_card")) {
		r.Problem = "Gift cards are not supported."
		return
	}
	if first.get("parent") != "" {
		r.Problem = "The product of this variation is not in the row before it."
		return
	}
	m.texts()
	m.status()
	m.shipped()
	m.image()
	m.images()
	m.documents()
	m.sold()
	if r.Problem != "" {
		return
	}
	r.encode(m.members)
}

func (m *mapper) wrong(format string, args ...any) {
	if m.Problem == "" {
		m.Problem = fmt.Sprintf(format, args...)
	}
}

func (m *mapper) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

// kept are the members that an empty cell leaves as they are. An empty cell clears the others.
var kept = []string{"title", "status", "currency", "tax_category", "description_format", "handle", "external_reference"}

// texts reads the members of one line, and the description.
func (m *mapper) texts() {
	for member, most := range map[string]int{"title": limit.Line, "vendor": limit.Line, "product_type": limit.Line,
		"external_reference": limit.Line, "tax_category": limit.TaxCategory, "currency": 3} {
		if text, ok := m.rows[0].given(member); ok {
			m.set(member, m.clip(member, lineOf(text), most))
		}
	}
	if code, ok := m.members["currency"].(string); ok {
		m.currency = strings.ToUpper(code)
	}
	m.handle()
	text, ok := m.rows[0].given("description")
	format := ""
	if html, given := m.rows[0].given("description_html"); given {
		text, ok, format = Plain(html), true, string(state.PlainText)
		if strings.Contains(html, "<img") {
			m.note("The images in the description are not imported.")
		}
	}
	if given := m.rows[0].get("description_format"); given != "" {
		format = given
	}
	if ok {
		m.set("description", m.clip("description", text, limit.Description))
	}
	m.set("description_format", format)
	if tags, ok := m.rows[0].given("tags"); ok {
		m.tags(tags)
	}
}

// set sets a member to a text, null or, if an empty text keeps the member, nothing.
func (m *mapper) set(member, text string) {
	switch {
	case text != "":
		m.members[member] = text
	case !slices.Contains(kept, member):
		m.members[member] = nil
	}
}

// handle sets the handle. One that is not possible here becomes the reference.
func (m *mapper) handle() {
	given := m.rows[0].get("handle")
	handle := strings.ToLower(given)
	if len(handle) <= limit.Handle && strings.Trim(handle, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" {
		m.set("handle", handle)
	} else {
		m.note("The handle %q is replaced by one derived from the title.", Clip(given, sampleLen))
		if m.members["external_reference"] == nil {
			m.members["external_reference"] = Clip(lineOf(given), limit.Line)
		}
	}
	if m.members["handle"] != nil || m.members["external_reference"] != nil {
		return
	}
	if own := m.rows[0].get("own_id"); own != "" {
		m.members["external_reference"] = Clip(lineOf(own), limit.Line)
	}
}

func (m *mapper) status() {
	first := m.rows[0]
	switch status := strings.ToLower(first.get("status")); status {
	case "active", "draft", "archived":
		m.members["status"] = status
	case "published":
		m.members["status"] = "active"
	case "unlisted", "proposed", "rejected":
		m.note("It is %s there and is imported as a draft.", status)
		m.members["status"] = "draft"
	case "":
		if published, ok := first.given("published"); ok {
			m.members["status"] = map[bool]string{true: "active", false: "draft"}[yes(published)]
		}
	default:
		m.wrong("The status %q is not active, draft or archived.", Clip(first.get("status"), sampleLen))
	}
}

// shipped reads whether the product needs shipping, which is the same for all of its variants.
func (m *mapper) shipped() {
	yeses, noes := 0, 0
	for _, r := range m.rows {
		switch text := r.get("requires_shipping"); {
		case text == "":
		case yes(text):
			yeses++
		default:
			noes++
		}
	}
	if yeses+noes == 0 {
		return
	}
	m.members["requires_shipping"] = yeses > 0
	if yeses > 0 && noes > 0 {
		m.note("%d of its variants need no shipping. Here all of them do.", noes)
	}
}

// image takes the address that is shown instead of images; it is fetched when it is first shown.
func (m *mapper) image() {
	src, given := m.rows[0].given("image_url")
	switch {
	case !given:
	case src == "":
		m.members["image_url"] = nil
	case m.fetchable(&picture{URL: src}):
		m.members["image_url"] = src
	}
}

// tags reads tags that commas separate, or a list in JSON.
func (m *mapper) tags(text string) {
	parts := strings.Split(text, ",")
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &parts) != nil {
		m.wrong("The tags are not a list of texts in JSON.")
		return
	}
	list, over := []string{}, 0
	for _, tag := range parts {
		short := m.clip("tag", lineOf(tag), limit.Label)
		switch {
		case short == "" || slices.Contains(list, short):
		case len(list) == limit.Tags:
			over++
		default:
			list = append(list, short)
		}
	}
	if over > 0 {
		m.note("%d tags above %d are not imported.", over, limit.Tags)
	}
	m.members["tags"] = list
}

// documents reads the cells that hold JSON, as exports write them.
func (m *mapper) documents() {
	for _, member := range []string{"options", "variants", "maker", "videos", "custom_fields"} {
		text, ok := m.rows[0].given(member)
		switch {
		case !ok || text == "" && member != "maker" && member != "videos":
		case text == "":
			m.members[member] = nil
		case !json.Valid([]byte(text)):
			m.wrong("The cell of %s does not hold valid JSON.", member)
		default:
			m.members[member] = json.RawMessage(text)
		}
	}
	m.custom(m.rows[0], state.FieldsOfProducts, m.members, "custom_fields")
}

// clip shortens a text to the most code points that are allowed.
func (m *mapper) clip(what, text string, most int) string {
	short := Clip(text, most)
	if short != text {
		m.note("The %s is shortened to %d characters.", strings.ReplaceAll(what, "_", " "), most)
	}
	return short
}

func option(n int, part string) string { return "option" + strconv.Itoa(n+1) + "_" + part }
