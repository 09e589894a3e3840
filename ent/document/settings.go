package document

// ThemeSettings is a JSON object of what a merchant set about a theme, by the settings'
// names. What is not in it is as the theme has it.
type ThemeSettings []byte

// NewThemeSettings encodes settings, in the order of their names.
func NewThemeSettings(values map[string]string) ThemeSettings {
	if values == nil {
		values = map[string]string{}
	}
	return encode(values)
}

// Values decodes the settings; an absent document has none.
func (s ThemeSettings) Values() (map[string]string, error) { return decode[map[string]string](s) }
