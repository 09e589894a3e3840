package importer

import (
	"bytes"
	"context"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/domain/selling"
	"github.com/storefront-go/storefront/graph/model"
)

// discountRow is a discount as a file has it, which is merged with the one of the store.
type discountRow struct {
	code   string
	object []byte
}

// decodeDiscount reads a discount in the form of the API.
func decodeDiscount(e *entry, line []byte) ([]string, error) {
	d := &discountRow{object: bytes.Clone(line)}
	var in model.DiscountInput
	if err := d.merge(&in); err != nil {
		return nil, err
	}
	if d.code = in.Code; d.code == "" {
		return nil, fault.Invalid(required("code"))
	}
	e.discount = d
	return nil, nil
}

// merge sets the members that the row has.
func (d *discountRow) merge(in *model.DiscountInput) error {
	r, err := object(d.object)
	if err != nil {
		return err
	}
	for _, name := range []string{"id", "created_at", "updated_at"} {
		r.String(name) // computed, or of the other store
	}
	r.Int("uses")
	r.Int("version")
	if faults := in.Merge(r); len(faults) > 0 {
		return fault.Invalid(faults...)
	}
	return nil
}

func openDiscounts(ctx context.Context, r *Resolver, chunk []*entry) (*batch, error) {
	codes := core.Map(chunk, func(e *entry) string { return e.discount.code })
	b, err := selling.Mutation{Resolver: r.discounts}.DiscountBatch(ctx, codes)
	return &batch{apply: func(ctx context.Context, e *entry) (catalog.ImportOutcome, error) {
		created, changed, err := b.Apply(ctx, e.discount.code, e.discount.merge)
		return outcomeOf(created, changed), err
	}}, err
}
