package country

import (
	"regexp"
	"strings"
)

// vatForms are the forms of VAT ids in the European Union behind the two letters of the country, as
// the European Commission lists them for VIES. Greece has EL there.
var vatForms = map[string]string{
	"AT": `U\d{8}`, "BE": `[01]\d{9}`, "BG": `\d{9,10}`, "CY": `\d{8}[A-Z]`, "CZ": `\d{8,10}`, "DE": `\d{9}`,
	"DK": `\d{8}`, "EE": `\d{9}`, "ES": `[A-Z0-9]\d{7}[A-Z0-9]`, "FI": `\d{8}`, "FR": `[A-Z0-9]{2}\d{9}`,
	"GR": `\d{9}`, "HR": `\d{11}`, "HU": `\d{8}`, "IE": `\d[A-Z0-9+*]\d{5}[A-Z]{1,2}`, "IT": `\d{11}`,
	"LT": `(\d{9}|\d{12})`, "LU": `\d{8}`, "LV": `\d{11}`, "MT": `\d{8}`, "NL": `[A-Z0-9+*]{12}`, "PL": `\d{10}`,
	"PT": `\d{9}`, "RO": `\d{2,10}`, "SE": `\d{12}`, "SI": `\d{8}`, "SK": `\d{10}`,
}

// InUnion reports whether a country, by its ISO 3166-1 code, is in the European Union.
func InUnion(code string) bool { return vatForms[code] != "" }

var vatSeparators = strings.NewReplacer(" ", "", ".", "", "-", "", "/", "")

// VATID reads a VAT id of the European Union, with or without separators and in any case. It returns
// the id in its official form and the ISO 3166-1 code of its country. Only the form is judged, not
// whether the id was issued.
func VATID(text string) (id, country string, ok bool) {
	id = strings.ToUpper(vatSeparators.Replace(text))
	if len(id) < 2 {
		return "", "", false
	}
	country = id[:2]
	if country == "EL" {
		country = "GR"
	}
	form, known := vatForms[country]
	if !known || id[:2] == "GR" || !regexp.MustCompile("^"+form+"$").MatchString(id[2:]) {
		return "", "", false
	}
	return id, country, true
}
