package country_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/lib/country"
)

// TestCodes: the list has the codes of ISO 3166-1, and every language of storefronts has a name for
// each country.
func TestCodes(t *testing.T) {
	if n := len(country.Codes()); n != 249 {
		t.Errorf("%d countries, want the 249 of ISO 3166-1", n)
	}
	for code := range strings.FieldsSeq("SU YU CS AN NT UN EU EZ XK ZZ UK de TP DD BU FX TA AC ''") {
		if country.Assigned(code) {
			t.Errorf("%s is in the list", code)
		}
	}
	for _, code := range country.Codes() {
		region := language.MustParseRegion(code)
		for _, lang := range state.Languages() {
			name := display.Regions(language.MustParse(string(lang))).Name(region)
			if name == "" || name == code {
				t.Errorf("%s has no name in %s", code, lang)
			}
		}
	}
}

func TestForm(t *testing.T) {
	for code, want := range map[string]country.Form{
		"US": {country.Required, country.Required}, "DE": {country.Required, country.Unused},
		"AE": {country.Unused, country.Required}, "IE": {country.Optional, country.Optional},
		"AS": {country.Required, country.Unused}, "AN": {country.Optional, country.Optional},
	} {
		if got := country.FormOf(code); got != want {
			t.Errorf("%s: %v, want %v", code, got, want)
		}
	}
	for _, code := range country.Codes() {
		if country.FormOf(code).Region == country.Required && len(country.Regions(code)) < 2 {
			t.Errorf("%s needs a region and has no two", code)
		}
	}
}

// TestFind: every region is found by its code and its names, in any spelling.
func TestFind(t *testing.T) {
	for _, code := range country.Codes() {
		for _, r := range country.Regions(code) {
			for _, text := range []string{r.Code, code + "-" + r.Code, strings.ToLower(r.Name), r.Local,
				r.Written("en"), r.Written("ja")} {
				if got, ok := country.Find(code, text); text != "" && (!ok || got.Code != r.Code) {
					t.Errorf("%s-%s: %q means %q", code, r.Code, text, got.Code)
				}
			}
		}
	}
	for text, want := range map[string]string{
		"US NY": "NY", "US New York": "NY", "US new york": "NY", "US N.Y.": "NY", "US US-NY": "NY", "US n y": "NY",
		"US State of New York": "NY", "US Washington": "WA", "US Washington, D.C.": "DC", "CA quebec": "QC",
		"CA Québec": "QC", "JP 東京都": "13", "JP 東京": "13", "JP tokyo": "13", "JP 13": "13", "JP Tôkyô": "13",
		"DE Bavaria": "BY", "DE bayern": "BY", "DE Baden Württemberg": "BW", "AT wien": "9", "AT Vienna": "9",
		"ES Canarias": "CN", "ES Las Palmas": "GC", "ES A Coruña": "C", "ES la coruna": "C", "IT RM": "RM",
		"IT Roma": "RM",
		"KR 서울":   "11", "KR Seoul": "11", "GB northern ireland": "NIR", "IN Orissa": "", "MX CDMX": "CMX",
		"BR São Paulo": "SP", "BR sao paulo": "SP", "AE Dubai": "DU", "US Bavaria": "", "XX NY": "", "US ": "",
		"US ...": "",
	} {
		in, name, _ := strings.Cut(text, " ")
		if got, _ := country.Find(in, name); got.Code != want {
			t.Errorf("%s means %q, want %q", text, got.Code, want)
		}
	}
}

func TestLineage(t *testing.T) {
	for text, want := range map[string][]string{
		"US New York": {"NY"}, "ES Las Palmas": {"GC", "CN"}, "ES Canarias": {"CN"}, "FR 2A": {"2A", "20R"},
		"DE Büsingen am Hochrhein": {"?busingenamhochrhein"}, "DE  ": {},
	} {
		in, name, _ := strings.Cut(text, " ")
		if diff := cmp.Diff(want, country.Lineage(in, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestRegions: an address offers the regions that addresses name, unless a region of the level
// below is named.
func TestRegions(t *testing.T) {
	for text, want := range map[string][3]string{ // country, named: a region of the list, and one that is not
		"US": {"", "NY", ""}, "GB": {"Northern Ireland", "SCT", "BFS"}, "FR": {"Corse", "20R", "2A"},
		"FR 2A": {"2A", "75C", "IDF"}, "ES": {"Canarias", "GC", "CN"}, "PT": {"", "30", ""},
	} {
		code, _, _ := strings.Cut(text, " ")
		list := country.Regions(code, want[0])
		if want[0] == "" {
			list = country.Regions(code)
		}
		has := func(c string) bool {
			return slices.ContainsFunc(list, func(r country.Region) bool { return r.Code == c })
		}
		if !has(want[1]) || want[2] != "" && has(want[2]) {
			t.Errorf("%s, %q: has %s: %t, has %s: %t", code, want[0], want[1], has(want[1]), want[2], has(want[2]))
		}
	}
}

// TestPostalCode checks codes as people write them. The countries are from bug reports.
func TestPostalCode(t *testing.T) {
	for in, want := range map[string]string{
		"US 100011234": "10001-1234", "US 10001-1234": "10001-1234", "US 10001 1234": "10001-1234", "US 10001": "10001",
		"US 1000": "", "US 100011": "", "PT 1000001": "1000-001", "PT 1000 001": "1000-001",
		"PT P-1000-001": "1000-001",
		"PT 1000":       "", "SE SE-114 55": "114 55", "SE S-11455": "114 55", "SE 11455": "114 55", "SE 1145": "",
		"DE D-10115": "10115", "DE DE 10115": "10115", "DE 10115": "10115", "DE 101 15": "10115", "DE 1011": "",
		"KR 135-080": "135-080", "KR 135080": "135-080", "KR 06236": "06236", "KR 0623": "", "IN 110 001": "110001",
		"IN 110001": "110001", "IN 11001": "", "AT A-1010": "1010", "AT AT-1010": "1010", "AT 101": "",
		"GB sw1a1aa": "SW1A 1AA", "GB SW1A-1AA": "SW1A 1AA", "GB M11AE": "M1 1AE", "GB 12345": "",
		"NL 1234ab":     "1234 AB",
		"NL NL-1234 AB": "1234 AB", "CA h3z2y7": "H3Z 2Y7", "CA H3Z-2Y7": "H3Z 2Y7", "PL 00950": "00-950",
		"PL PL-00-950": "00-950", "CZ 10000": "100 00", "CZ CZ-100 00": "100 00", "SK 01001": "010 01",
		"GR 15124": "151 24", "JP 1540023": "154-0023", "JP 〒154-0023": "154-0023", "BR 40301110": "40301-110",
		"LV 1010": "LV-1010", "LV LV1010": "LV-1010", "LT LT-01505": "01505", "CH CH-8001": "8001",
		"FR F-75001": "75001",
		"FR 75 001":  "75001", "IT I-00144": "00144", "BE B-1000": "1000", "LU L-1009": "1009", "DK DK-2100": "2100",
		"NO N-0025": "0025", "FI FI-00100": "00100", "ES 28 039": "28039", "AU 2060": "2060", "AU 20600": "",
		"SG 546 080": "546080", "TW 104": "104", "TW 10408": "10408", "RU 247 112": "247112", "IE d02af30": "D02 AF30",
		"MT nxr01": "NXR 01", "AD 500": "AD500", "AR c1070aam": "C1070AAM", "AR nothing known": "nothing known",
		"LI FL-9490": "9490", "HU H-1037": "1037", "SI SI-1000": "1000", "MC 98000": "98000", "AE 00000": "00000",
		"XX 1 2": "1 2",
	} {
		code, text, _ := strings.Cut(in, " ")
		got, ok := country.PostalCode(code, text)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %t, want %q", in, got, ok, want)
		}
		if again, ok := country.PostalCode(code, got); ok && again != got {
			t.Errorf("%s: %q becomes %q", in, got, again)
		}
	}
}
