package intake

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/limit"
)

// picture is an image of a product in the form of an export.
type picture struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	Alt string `json:"alt,omitempty"`

	place int // among the images of the product, as the file numbers them
}

// unplaced is the place of images that the file does not number.
const unplaced = 1 << 30

// numbered are the columns of systems that have one for each image of a product.
var numbered = []string{"image1", "image2", "image3", "image4", "image5", "image6", "image7", "image8", "image9"}

// images reads the addresses of the images, in the order of the file, and which variant shows which.
func (m *mapper) images() {
	var list []*picture
	add := func(p picture) *picture {
		if at := slices.IndexFunc(list, func(o *picture) bool { return o.URL == p.URL }); at >= 0 {
			list[at].Alt = cmp.Or(list[at].Alt, p.Alt)
			list[at].place = min(list[at].place, p.place)
			return list[at]
		}
		list = append(list, &p)
		return &p
	}
	variants := m.variantRows()
	m.shows = map[*row]*picture{}
	for _, r := range m.rows {
		for i, p := range m.picturesOf(r) {
			made := add(p)
			if i == 0 && r.get("parent") != "" && slices.Contains(variants, r) {
				m.shows[r] = made
			}
		}
		if src := r.get("variant_image"); src != "" {
			m.shows[r] = add(picture{URL: src, place: unplaced})
		}
	}
	list = slices.DeleteFunc(list, func(p *picture) bool { return !m.fetchable(p) })
	slices.SortStableFunc(list, func(a, b *picture) int { return cmp.Compare(a.place, b.place) })
	if over := len(list) - limit.Images; over > 0 {
		m.note("%d images above %d are not imported.", over, limit.Images)
		list = list[:limit.Images]
	}
	for i, p := range list {
		p.ID = cmp.Or(p.ID, strconv.Itoa(i+1)) // exports have ids, which their variants name
	}
	if len(list) > 0 {
		m.members["images"] = list
	}
}

// picturesOf returns the images in the cells of a row.
func (m *mapper) picturesOf(r *row) (list []picture) {
	place := unplaced
	if n, err := strconv.Atoi(r.get("image_position")); err == nil {
		place = n
	}
	alt := m.clip("description of an image", lineOf(r.get("image_alt")), limit.ImageAlt)
	text := r.get("images")
	if strings.HasPrefix(text, "[") {
		return m.listed(text)
	}
	for _, src := range append(addressesOf(text), cellsOf(r, numbered)...) {
		list = append(list, picture{URL: src, Alt: alt, place: place})
	}
	return list
}

// cellsOf returns the cells of members that are not empty.
func cellsOf(r *row, members []string) (list []string) {
	for _, member := range members {
		if text := r.get(member); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// listed reads a list in JSON of addresses, or of images as exports have them.
func (m *mapper) listed(text string) (list []picture) {
	var parts []json.RawMessage
	err := json.Unmarshal([]byte(text), &parts)
	for _, part := range parts {
		p := picture{place: unplaced}
		if json.Unmarshal(part, &p.URL) != nil {
			err = cmp.Or(err, json.Unmarshal(part, &p))
		}
		list = append(list, p)
	}
	if err != nil {
		m.wrong("The images are not a list in JSON.")
	}
	return list
}

// addressesOf splits a cell that holds addresses with commas, bars or blanks between them. Addresses may
// contain commas themselves.
func addressesOf(text string) (list []string) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' || r == '|' }) {
		for i, src := range strings.Split(strings.Trim(part, ","), ",http") {
			if i > 0 {
				src = "http" + src
			}
			if src != "" {
				list = append(list, src)
			}
		}
	}
	return list
}

// fetchable notes an image whose address cannot be one.
func (m *mapper) fetchable(p *picture) bool {
	u, err := url.Parse(p.URL)
	if err == nil && u.Scheme == "https" && u.Host != "" && len(p.URL) <= limit.URL {
		return true
	}
	m.note("The image %q has no https address and is not imported.", Clip(p.URL, sampleLen))
	return false
}
