package shop

import (
	"context"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// Brand returns the brand of a store: its logo and favicon and, from the settings accent,
// accent_dark and logo of its theme, the colors and otherwise the logo. If the theme has none or
// cannot be shown, the pages of the service have the service's own colors.
func (s *Shop) Brand(ctx context.Context, st *storefront.State) (b storefront.Brand) {
	b.Logo, b.Favicon = st.Front.Logo, st.Front.Favicon
	if st.Package == (digest.Sum{}) {
		return b
	}
	theme, err := s.theme(ctx, st.Package)
	if err != nil {
		return b
	}
	values, _, err := theme.set(st.Settings, st.Front.Logo, state.English) // colors and images have no language
	if err != nil {
		return b
	}
	for _, one := range theme.settings {
		value, _ := values[one.Name].(string)
		switch {
		case one.Name == "accent" && one.Kind == state.SettingColor:
			b.Accent = value
		case one.Name == "accent_dark" && one.Kind == state.SettingColor:
			b.AccentDark = value
		case one.Name == logoSetting && one.Kind == state.SettingImage:
			b.Logo = value
		}
	}
	return b
}
