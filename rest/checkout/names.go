package checkout

import "github.com/storefront-go/storefront/graph/phrase"

// names are what templates call texts; never changed.
var names = map[string]phrase.Key{
	"add":       phrase.AddToCart,
	"added":     phrase.Added,
	"address":   phrase.StepAddress,
	"apply":     phrase.Apply,
	"back":      phrase.Back,
	"cart":      phrase.Cart,
	"change":    phrase.Change,
	"check":     phrase.ErrorSummary,
	"checkout":  phrase.Checkout,
	"choose":    phrase.Choose,
	"code":      phrase.Code,
	"continue":  phrase.Continue,
	"decline":   phrase.Decline,
	"empty":     phrase.CartEmpty,
	"explained": phrase.TestExplained,
	"howto":     phrase.Instructions,
	"later":     phrase.LaterSteps,
	"note":      phrase.Note,
	"optional":  phrase.Optional,
	"order":     phrase.OrderSummary,
	"number":    phrase.OrderNumber,
	"ordered":   phrase.OrderedOn,
	"pay":       phrase.Pay,
	"place":     phrase.PlaceOrder,
	"quantity":  phrase.Quantity,
	"remove":    phrase.Remove,
	"shop":      phrase.ContinueShopping,
	"steps":     phrase.Steps,
	"thanks":    phrase.ThankYou,
	"tracking":  phrase.Tracking,
	"update":    phrase.Update,
}
