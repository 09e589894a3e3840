package storefront

// Brand is how a store looks where no theme shows it. What a store does not say is "".
type Brand struct {
	// Accent and AccentDark, where the visitor prefers dark, are # and six hexadecimal
	// digits.
	Accent, AccentDark string
	// Logo is the address of a picture.
	Logo string
}
