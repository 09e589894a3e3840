package document

import "github.com/storefront-go/storefront/ent/state"

// Menus is a JSON object of [MenusFields].
type Menus []byte

// MenusFields are the two menus of a store. A nil menu means the storefront's default; an empty one
// shows nothing.
type MenusFields struct {
	Main   []*MenuLink `json:"main"`
	Footer []*MenuLink `json:"footer"`
}

// MenuLink is a link of a menu.
type MenuLink struct {
	Title  string           `json:"title"`
	Target state.MenuTarget `json:"target"`
	// ResourceID is the public id of the page or the product.
	ResourceID *string `json:"resource_id,omitempty"`
	// Address is the URL for [state.TargetAddress].
	Address *string `json:"address,omitempty"`
	// Children are the nested links, which have no children.
	Children []*MenuLink `json:"children,omitempty"`
}

// NewMenus encodes menus.
func NewMenus(m MenusFields) Menus { return encode(m) }

// Fields decodes the menus; an absent document has none.
func (m Menus) Fields() (MenusFields, error) { return decode[MenusFields](m) }
