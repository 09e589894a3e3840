package document

// ThemeSettings is a JSON object of a merchant's settings of a theme, by name. Missing settings
// have the theme's defaults.
type ThemeSettings []byte

// NewThemeSettings encodes settings, sorted by name.
func NewThemeSettings(values map[string]string) ThemeSettings {
	if values == nil {
		values = map[string]string{}
	}
	return encode(values)
}

// Values decodes the settings; an absent document has none.
func (s ThemeSettings) Values() (map[string]string, error) { return decode[map[string]string](s) }
