package country

import "slices"

// economicArea are the countries of the European Economic Area by their ISO 3166-1 codes: the member states of
// the European Union (Article 52 of the Treaty on European Union), and Iceland, Liechtenstein and Norway (Article
// 126 of the EEA Agreement, OJ L 1, 3.1.1994, whose Annex XIX has the consumer law of the Union). It never changes.
var economicArea = []string{"AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE",
	"IS", "IT", "LI", "LT", "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK"}

// EconomicArea returns the codes of the countries in the European Economic Area, sorted.
func EconomicArea() []string { return slices.Clone(economicArea) }

// InEconomicArea reports whether a country is in the European Economic Area.
func InEconomicArea(code string) bool { return slices.Contains(economicArea, code) }
