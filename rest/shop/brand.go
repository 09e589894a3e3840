package shop

import (
	"context"

	"github.com/storefront-go/storefront/ent/digest"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/domain/storefront"
)

// The settings of a theme that are the store's brand, too, wherever the service shows pages
// of its own.
const (
	accentSetting     = "accent"
	accentDarkSetting = "accent_dark"
	logoSetting       = "logo"
)

// Brand returns what the theme of a store says of the store's brand, as its merchant set it.
// One that says nothing, or cannot be shown, has none: the pages of the service look plain
// then.
func (s *Shop) Brand(ctx context.Context, st *storefront.State) (b storefront.Brand) {
	if st.Package == (digest.Sum{}) {
		return b
	}
	theme, err := s.theme(ctx, st.Package)
	if err != nil {
		return b
	}
	values, _, err := theme.set(st.Settings, state.English) // colours and pictures speak none
	if err != nil {
		return b
	}
	for _, one := range theme.settings {
		value, _ := values[one.Name].(string)
		switch {
		case one.Name == accentSetting && one.Kind == state.SettingColor:
			b.Accent = value
		case one.Name == accentDarkSetting && one.Kind == state.SettingColor:
			b.AccentDark = value
		case one.Name == logoSetting && one.Kind == state.SettingImage:
			b.Logo = value
		}
	}
	return b
}
