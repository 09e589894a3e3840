package document

// Views is a JSON array of the [View]s that a person saved in a store, oldest first.
type Views []byte

// View is a list of the dashboard with filters, under a name.
type View struct {
	// List is the last part of the list's path, such as orders.
	List string `json:"list"`
	Name string `json:"name"`
	// Query holds the filters as in an address.
	Query string `json:"query"`
}

// NewViews encodes views.
func NewViews(list []View) Views { return encode(list) }

// List decodes the views; an absent document has none.
func (v Views) List() ([]View, error) { return decode[[]View](v) }
