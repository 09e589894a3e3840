package teststore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/catalog"
	"github.com/storefront-go/storefront/graph/model"
)

// titles are the titles of the sample products, people the names of the sample customers.
var (
	titles = []string{"Tea cup", "Soup bowl", "Dinner plate", "Milk jug", "Tea pot", "Egg cup", "Serving board",
		"Linen napkin", "Glass carafe", "Sugar bowl", "Butter dish", "Fruit basket"}
	people = []string{"Ada Novak", "Ben Okafor", "Chiara Rossi", "Daniel Weiss", "Emma Larsen", "Farid Haddad",
		"Grace Kim", "Hugo Martin"}
)

const orderCount = 20

const day = 24 * time.Hour

type filling struct {
	Mutation
	currency  string
	products  []*db.Product
	customers []string // public ids
}

// createProducts creates the products. Every sixth stays a draft.
func (f *filling) createProducts(ctx context.Context) error {
	m := catalog.Mutation{Resolver: f.catalog}
	for i, title := range titles {
		made, err := m.ProductCreate(ctx, model.ProductCreateInput{Title: title, PriceMinor: int64(i+2) * 450,
			Currency: f.currency, Sku: new(fmt.Sprintf("SAMPLE-%02d", i+1)), Vendor: new("Sample goods"),
			Tags: []string{"sample"}, InventoryQuantity: new(int64(100))})
		if err != nil {
			return fmt.Errorf("sample product: %w", err)
		}
		if i%6 == 5 {
			continue
		}
		made, err = m.ProductPublish(ctx, made.Product.PublicID(), made.Product.Version)
		if err != nil {
			return fmt.Errorf("publish a sample product: %w", err)
		}
		f.products = append(f.products, made.Product)
	}
	return nil
}

// createCustomers creates the customers, at addresses that reach no one.
func (f *filling) createCustomers(ctx context.Context) error {
	m := f.sales.Mutation()
	for i, name := range people {
		first, last, _ := strings.Cut(name, " ")
		made, err := m.CustomerCreate(ctx, model.CustomerCreateInput{
			Email:     new(strings.ToLower(first) + "@shopper.example"),
			FirstName: &first, LastName: &last, Status: state.CustomerActive,
			EmailMarketing: state.EmailNotSubscribed, Tags: []string{"sample"},
			DefaultAddress: &model.AddressInput{Name: &name, Line1: fmt.Sprintf("Sample street %d", i+1),
				City: "Vienna", PostalCode: new("1010"), Country: "AT"}})
		if err != nil {
			return fmt.Errorf("sample customer: %w", err)
		}
		f.customers = append(f.customers, xid.Customer.Format(made.Customer.ID))
	}
	return nil
}

// createOrders creates the orders, one placed on each of the last days.
func (f *filling) createOrders(ctx context.Context) error {
	for i := range orderCount {
		in := model.OrderCreateInput{CustomerID: &f.customers[i*3%len(f.customers)], Source: "online_store",
			ShippingMinor: 490, Tags: []string{"sample"},
			PlacedAt: new(micros.Now().Add(time.Duration(i-orderCount) * day))}
		for n := range 1 + i%3 {
			p := f.products[(i+n)%len(f.products)]
			in.Lines = append(in.Lines, &model.OrderLineInput{ProductID: new(p.PublicID()), Quantity: int64(1 + n)})
		}
		if err := f.createOrder(ctx, i, in); err != nil {
			return fmt.Errorf("sample order: %w", err)
		}
	}
	return nil
}

// createOrder creates an order and moves it on: how far depends on its number, and one in ten is
// canceled.
func (f *filling) createOrder(ctx context.Context, i int, in model.OrderCreateInput) error {
	m := f.sales.Mutation()
	made, err := m.OrderCreate(ctx, in)
	if err != nil {
		return err
	}
	if i%10 == 4 {
		_, err = m.OrderCancel(ctx, made.Order.PublicID(), made.Order.Version, false, nil)
		return err
	}
	if i%4 >= 1 {
		made, err = m.OrderMarkPaid(ctx, made.Order.PublicID(), made.Order.Version, new(string(state.PaymentTest)), nil)
	}
	if err == nil && i%4 >= 2 {
		made, err = m.OrderFulfill(ctx, made.Order.PublicID(), made.Order.Version,
			model.FulfillInput{Carrier: new("Sample carrier")})
	}
	if err == nil && i%4 >= 3 {
		_, err = m.OrderComplete(ctx, made.Order.PublicID(), made.Order.Version)
	}
	return err
}
