package importer

import (
	"context"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/scope"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// kind is how the resources of a kind are imported.
type kind struct {
	// write is the scope that an import needs besides imports.write; read is that of its failed rows.
	write, read string
	// decode reads a record in the form of an export.
	decode func(e *entry, line []byte) (notes []string, err error)
	// open begins to write the entries of a chunk in the transaction of ctx.
	open func(ctx context.Context, r *Resolver, chunk []*entry) (*batch, error)
}

// batch writes the entries of a chunk.
type batch struct {
	apply func(ctx context.Context, e *entry) (catalog.ImportOutcome, error)
	// finish writes what apply did not write yet; nil if apply writes everything.
	finish func(ctx context.Context) error
	// clean reports whether apply has written nothing of an entry that it refuses.
	clean bool
}

var kinds = map[state.ImportKind]*kind{
	state.ImportProducts:  {scope.ProductsWrite, scope.ProductsRead, decodeProduct, openProducts},
	state.ImportInventory: {scope.InventoryWrite, scope.InventoryRead, decodeStock, openStock},
	state.ImportCustomers: {scope.CustomersWrite, scope.CustomersRead, decodeCustomer, openCustomers},
	state.ImportDiscounts: {scope.DiscountsWrite, scope.DiscountsRead, decodeDiscount, openDiscounts},
	state.ImportOrders:    {scope.SalesWrite, scope.OrdersRead, decodeOrder, openOrders},
}

// outcomeOf returns the outcome of a row that was created or changed.
func outcomeOf(created, changed bool) catalog.ImportOutcome {
	switch {
	case created:
		return catalog.ImportCreated
	case changed:
		return catalog.ImportUpdated
	}
	return catalog.ImportUnchanged
}

// object reads the object of a record.
func object(line []byte) (*wire.Reader, error) {
	v, err := wire.Parse(line)
	if err != nil {
		return nil, err
	}
	return wire.NewReader(v)
}

// needed returns the scopes that the requester of an import must still have.
func (k *kind) needed() scope.Set { return scope.Of(scope.ImportsWrite, k.write) }

func decodeProduct(e *entry, line []byte) (notes []string, err error) {
	e.product, notes, err = readProduct(line)
	return notes, err
}

func openProducts(ctx context.Context, r *Resolver, chunk []*entry) (*batch, error) {
	list := core.Map(chunk, func(e *entry) *catalog.ImportedProduct { return e.product })
	b, err := catalog.Mutation{Resolver: r.products}.ProductBatch(ctx, list)
	return &batch{apply: func(ctx context.Context, e *entry) (catalog.ImportOutcome, error) {
		outcome, err := b.Apply(ctx, e.product)
		if e.owner, e.images = nil, nil; err == nil {
			e.owner, e.images = b.LeftImages(e.product)
		}
		return outcome, err
	}, finish: b.Close}, err
}

// decodeStock reads a line of an adjustment. Its set is called quantity, as in a list of stock.
func decodeStock(e *entry, line []byte) ([]string, error) {
	r, err := object(line)
	if err != nil {
		return nil, err
	}
	e.stock = &model.InventoryLineInput{VariantID: r.String("variant_id"), Sku: r.String("sku"),
		Set: r.Int("quantity"), Delta: r.Int("delta"), Expected: r.Int("expected"), Reason: r.String("reason"),
		Reference: r.String("reference"), Location: r.String("location")}
	if faults := r.Fields(); len(faults) > 0 {
		return nil, fault.Invalid(faults...)
	}
	return nil, nil
}

func openStock(ctx context.Context, r *Resolver, chunk []*entry) (*batch, error) {
	lines := core.Map(chunk, func(e *entry) *model.InventoryLineInput { return e.stock })
	b, err := catalog.Mutation{Resolver: r.products}.InventoryBatch(ctx, lines)
	return &batch{apply: func(ctx context.Context, e *entry) (catalog.ImportOutcome, error) {
		return b.Apply(ctx, e.stock)
	}, finish: b.Close, clean: true}, err
}
