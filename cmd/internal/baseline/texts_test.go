package baseline

// Text shows the baseline's statements to its tests.
type Text struct{ t texts }

// Statements returns those of an engine.
func Statements(engine string) Text { return Text{statements(engine)} }

// Orders is a page of orders.
func (t Text) Orders(after bool, limit int) string { return t.t.orders(after, limit) }

// Order is one order.
func (t Text) Order() string { return t.t.order }

// Products is a page of products.
func (t Text) Products(after bool, limit int) string { return t.t.products(after, limit) }

// Place are the statements that place a cart.
func (t Text) Place() []string { return t.t.place.list(t.t.mark) }

// Create are the statements of POST /products.
func (t Text) Create() []string {
	return []string{
		insertClaim, insertProduct, t.t.mark, insertAudit, insertEvent, insertOutbox, updateAnswer,
	}
}

// Exchanged are the statements of a code's exchange, Refreshed those of a refresh.
var (
	Exchanged = []string{findGrant, findClient, insertDirect, takeCode, insertAccess}
	Refreshed = []string{findGrant, findClient, insertDirect, rotate, insertAccess}
)
