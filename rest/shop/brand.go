package shop

import (
	"context"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// Brand returns the brand of a store: its logo and favicon and, from the settings accent,
// accent_dark, background, background_dark and logo of its theme, the colors and otherwise the
// logo. If the theme has none or cannot be shown, the pages of the service have the service's own
// colors.
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
	colors := map[string]*string{"accent": &b.Accent, "accent_dark": &b.AccentDark,
		"background": &b.Background, "background_dark": &b.BackgroundDark}
	for _, one := range theme.settings {
		value, _ := values[one.Name].(string)
		switch to := colors[one.Name]; {
		case to != nil && one.Kind == state.SettingColor:
			*to = value
		case one.Name == logoSetting && one.Kind == state.SettingImage:
			b.Logo = value
		}
	}
	return b
}
