package storefront

// Brand is the look of a store where no theme defines it. What a store has not set is "".
type Brand struct {
	// Accent and AccentDark, for visitors who prefer dark, are # and six hexadecimal digits.
	Accent, AccentDark string
	// Logo is the address of an image.
	Logo string
}
