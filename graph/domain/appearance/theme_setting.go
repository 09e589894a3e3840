package appearance

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/document"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	pictures "github.com/storefront-go/storefront/graph/engine/images"
	"github.com/storefront-go/storefront/graph/lib/theme"
	"github.com/storefront-go/storefront/graph/model"
)

// ThemeSettings returns the settings of a theme with their values, in the author's order.
func (q Query) ThemeSettings(ctx context.Context, themeID string) ([]*model.ThemeSetting, error) {
	t, err := core.Get(ctx, xid.Theme, themeID, q.theme)
	if err != nil {
		return nil, err
	}
	p, err := q.packageOf(ctx, t)
	if err != nil {
		return nil, core.Explain("theme", err)
	}
	set, err := t.Settings.Values()
	if err != nil {
		return nil, err
	}
	draft := set
	if t.DraftSettings != nil {
		if draft, err = t.DraftSettings.Values(); err != nil {
			return nil, err
		}
	}
	store, err := q.CurrentStore(ctx)
	if err != nil {
		return nil, core.Explain("store", err)
	}
	list := make([]*model.ThemeSetting, len(p.Manifest.Settings))
	for i, s := range p.Manifest.Settings {
		list[i] = &model.ThemeSetting{Name: s.Name, Kind: s.Kind, Label: s.Label, Options: s.Options,
			Default: s.In(store.Language), Value: valueOf(s, set, store.Language),
			Draft: valueOf(s, draft, store.Language)}
		if s.Kind == state.SettingImage {
			list[i].Options = images(p)
		}
	}
	return list, nil
}

// images returns the paths of a theme's images, the options of an image setting.
func images(p *theme.Package) (paths []string) {
	for _, a := range p.Assets {
		if a.Kind == state.AssetImage {
			paths = append(paths, a.Path)
		}
	}
	return paths
}

func valueOf(s theme.Setting, set map[string]string, in state.Language) string {
	if v, ok := set[s.Name]; ok {
		return v
	}
	return s.In(in)
}

// packageOf returns the package of a theme. It fails if the theme is not processed yet.
func (r *Resolver) packageOf(ctx context.Context, t *db.Theme) (*theme.Package, error) {
	if t.Status != state.ThemeInactive {
		return nil, notReady(t)
	}
	p, err := r.Themes.Package(ctx, t.Checksum)
	return p, fault.Wrap("read theme package", err)
}

// ThemeSettingsSave sets the settings of the input; the others keep their last saved values. A
// value that is null or equal to the theme's default follows the default. Previews show the
// settings at once, visitors once they are published.
func (m Mutation) ThemeSettingsSave(
	ctx context.Context, id string, values []*model.ThemeSettingInput, publish bool,
) (*model.ThemePayload, error) {
	return m.changeTheme(ctx, id, "theme.settings_save", func(ctx context.Context, s *db.Store, e *themeEdit) error {
		p, err := m.packageOf(ctx, e.Row)
		if err != nil {
			return err
		}
		set, err := savedSettings(e.Row)
		if err != nil {
			return err
		}
		c := &core.Check{}
		for i, v := range values {
			own, err := m.ownImages(ctx, v)
			if err != nil {
				return err
			}
			checkSetting(c, "values/"+strconv.Itoa(i)+"/", p, v, own, set, s.Language)
		}
		if err := c.Err(); err != nil {
			return err
		}
		saveSettings(e, document.NewThemeSettings(set), publish)
		return nil
	})
}

// ownImages reports whether all images that a value names are files of the media library: the value
// itself, or those of its sections.
func (r *Resolver) ownImages(ctx context.Context, in *model.ThemeSettingInput) (bool, error) {
	paths := []string{core.Deref(in.Value)}
	if in.Name == theme.SectionsSetting {
		paths = nil
		list, _ := theme.ReadSections(core.Deref(in.Value)) // checked with the setting
		for _, s := range list {
			if s.Image != "" {
				paths = append(paths, s.Image)
			}
		}
	}
	for _, path := range paths {
		own, err := pictures.HasPath(ctx, r.Client(ctx), path)
		if err != nil || !own {
			return false, err
		}
	}
	return true, nil
}

func savedSettings(t *db.Theme) (map[string]string, error) {
	doc := t.Settings
	if t.DraftSettings != nil {
		doc = t.DraftSettings
	}
	set, err := doc.Values()
	if err == nil && set == nil {
		set = map[string]string{}
	}
	return set, err
}

func checkSetting(
	c *core.Check, at string, p *theme.Package, in *model.ThemeSettingInput, own bool, set map[string]string,
	l state.Language,
) {
	i := slices.IndexFunc(p.Manifest.Settings, func(s theme.Setting) bool { return s.Name == in.Name })
	if i < 0 {
		c.Add(at+"name", fault.UnknownValue, "The theme has no such setting.")
		return
	}
	s := p.Manifest.Settings[i]
	switch {
	case in.Value == nil || *in.Value == s.In(l):
		delete(set, s.Name)
		return
	case s.Name == theme.SectionsSetting && !own:
		c.Add(at+"value", fault.UnknownValue, "An image was deleted from the media library. Choose another one.")
	case s.Kind == state.SettingImage && s.Name != theme.SectionsSetting && own: // a file of the media library
	case s.Kind == state.SettingImage && strings.HasPrefix(*in.Value, "https:"):
		c.HTTPS(at+"value", *in.Value)
	default:
		if detail := s.Problem(*in.Value, p); detail != "" {
			c.Add(at+"value", fault.InvalidFormat, detail)
		}
	}
	set[s.Name] = *in.Value
}

// saveSettings adds settings to the edit. They become a draft unless they are published or equal to
// the published ones.
func saveSettings(e *themeEdit, next document.ThemeSettings, publish bool) {
	now := e.Row.Settings
	if now == nil {
		now = document.NewThemeSettings(nil)
	}
	draft := next
	if publish || string(next) == string(now) {
		draft = nil
	}
	if publish {
		core.MemberDoc(&e.Changed, next, string(next) != string(now), "settings", &e.Row.Settings,
			e.Update.SetSettings, e.Update.ClearSettings)
	}
	core.MemberDoc(&e.Changed, draft, true, "draft_settings", &e.Row.DraftSettings,
		e.Update.SetDraftSettings, e.Update.ClearDraftSettings)
}
