// Package corpus fills a database with millions of orders for load runs and benchmarks. One of many
// stores has most of the rows, among them thousands of orders with the same microsecond, as after an
// import.
//
// Rows are inserted in bulk, without ent, with real ids.
package corpus

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/lib/page"
)

// Version increases when the rows change, so that old data is not reused.
const Version = 6

// Size says how many rows to create.
type Size struct {
	Orders int // in all stores
	Stores int
	// Share is the percentage of the orders in the first store.
	Share int
	// Ties is how many orders of the first store share one microsecond.
	Ties     int
	Products int // of each store
	// Goods is how many more products the first store has, with varied titles.
	Goods int `json:",omitempty"`
}

// Million is the size for the project's figures.
var Million = Size{Orders: 1_000_000, Stores: 41, Share: 60, Ties: 5000, Products: 1000}

// Scaled returns s with another number of orders, and ties and products in proportion.
func (s Size) Scaled(orders int) Size {
	s.Ties = max(s.Ties*orders/s.Orders, 50)
	s.Products = max(s.Products*orders/s.Orders, 120)
	s.Orders = orders
	return s
}

// Corpus describes the data, with the credentials to request it.
type Corpus struct {
	Version int
	Size    Size
	Shops   []Shop
	// Samples are random orders of all stores.
	Samples []Sample
}

// Shop is one store.
type Shop struct {
	ID     string
	Key    string // an API key with every scope that the figures need
	Orders int
	// Marks are orders at known depths of the list, by their rank from the newest.
	Marks map[int]string
	// Tied is an order in the middle of those that share a microsecond.
	Tied string
}

// Sample is an order and the index of its store.
type Sample struct {
	Shop  int
	Order string
}

// PageSize is the size of the pages whose depths are compared.
const PageSize = 20

// LastPage returns the number of the store's last page.
func (s *Shop) LastPage() int { return s.Orders / PageSize }

// DeepPage returns the number of a page in the middle of the store's list, at most 5000.
func (s *Shop) DeepPage() int { return min(5000, s.LastPage()/2) }

// mark records the orders before the measured pages; ids have the oldest first.
func (s *Shop) mark(ids []xid.ID) {
	for _, page := range []int{2, s.DeepPage(), s.LastPage()} {
		if rank := (page - 1) * PageSize; rank > 0 && rank <= len(ids) {
			s.Marks[rank] = xid.Order.Format(ids[len(ids)-rank])
		}
	}
}

// Position returns the cursor position after an order.
func Position(order string) (page.Position, error) {
	id, err := xid.Order.Parse(order)
	if err != nil {
		return page.Position{}, fmt.Errorf("order %q: %w", order, err)
	}
	return page.Position{Time: id.Time(), ID: id}, nil
}

// List returns the path of the store's list of orders, without filters.
func (s *Shop) List() (page.List, error) {
	id, err := xid.Store.Parse(s.ID)
	return page.List{Name: "orders", Store: id}, err
}

// Save writes the description, including the keys, next to the data.
func (c *Corpus) Save(path string) error {
	b, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return fmt.Errorf("save corpus: %w", err)
	}
	return os.WriteFile(path, b, 0o600)
}

// Load reads the description of data of this version and size. found is false if there is none.
func Load(path string, size Size) (c *Corpus, found bool, err error) {
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return nil, false, fmt.Errorf("load corpus: %w", err)
	}
	return c, c.Version == Version && c.Size == size, nil
}
