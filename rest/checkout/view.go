package checkout

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// Frame is common to all pages.
type Frame struct {
	Texts *phrase.Texts
	Shop  string // the name of the store
	Title string // of the page
	// Logo and Icon are addresses of images, "" for none, and Style is that of the stylesheet.
	Logo, Icon, Style string
	// Announcement is the line above the page, with its link; its label is "" for none.
	Announcement Option
	// Bare says that the page has no links into the shop.
	Bare bool
	// Problem is the error shown at the top.
	Problem string
	// Legal are the pages that have to be linked wherever people buy, as far as the store has them,
	// and its contact address.
	Legal []Option
	// Accounts says that shoppers can sign in.
	Accounts bool
}

// Say returns a text of [phrase] by its key.
func (f Frame) Say(k phrase.Key, args ...string) (string, error) {
	text := f.Texts.Say(k, args...)
	if text == "" {
		return "", fmt.Errorf("there is no text %q", k)
	}
	return text, nil
}

// Lang returns the language of the page.
func (f Frame) Lang() string { return string(f.Texts.Language) }

// Dir returns the writing direction of the page.
func (f Frame) Dir() string { return f.Texts.Direction }

// Line is a line of a cart or an order. Amounts are formatted.
type Line struct {
	Product, Variant string // ids, only of a cart's line
	Title, Options   string
	URL              string
	Image            string
	Quantity         int64
	Entered          string // the quantity in the cart's field
	Error            string // the error of the quantity
	Unit, Total      string
	Gone             bool
	// Notes say what has changed since the last view, or the states of an order's line.
	Notes []string
}

// Sum is one line of the totals.
type Sum struct {
	Label, Amount string
	Last          bool // the total
}

// Field is an input of a form, or a list to choose from.
type Field struct {
	Name, Label string
	Type        string // text, email, tel, long (several lines) or box; "" if there are options
	Value       string
	// Autocomplete is the autocomplete token for browsers.
	Autocomplete string
	Error        string
	Hint         string // beside the label
	Required     bool
	MaxLength    int
	Options      []Option
	// Shows is the text of a button that adapts the form to the chosen option; "" for none.
	Shows string
}

// Option is one value of a [Field].
type Option struct{ Value, Label string }

// Choice is a shipping or payment method.
type Choice struct {
	Value, Label string
	Detail       string // below the label
	Amount       string
	Chosen       bool
}

// Step is a step of the checkout.
type Step struct {
	Label, URL string
	Now, Done  bool
}

// CartPage is the cart.
type CartPage struct {
	Frame
	Lines []Line
	Sums  []Sum
	Note  string
	Code  Field
	Added bool
	// Later says what the sums do not include yet, and LaterURL links to details; "" for none.
	Later, LaterURL string
}

// FieldGroup is a part of a form. Its heading may be "".
type FieldGroup struct {
	Title string
	// Asks is the label of a box that shows the fields once it is checked, as Open says; "" shows them
	// always.
	Asks   string
	Open   bool
	Fields []Field
}

// StepPage is common to the steps of the checkout.
type StepPage struct {
	Frame
	Steps []Step
	Back  string
	Lines []Line
	Sums  []Sum
}

// DetailsPage asks for the shopper and the addresses.
type DetailsPage struct {
	StepPage
	Groups []FieldGroup
}

// Wrong returns the fields with an error.
func (p DetailsPage) Wrong() []Field {
	var wrong []Field
	for _, g := range p.Groups {
		for _, f := range g.Fields {
			if f.Error != "" {
				wrong = append(wrong, f)
			}
		}
	}
	return wrong
}

// ChoiceGroup is one choice. Without choices, None says why.
type ChoiceGroup struct {
	Name, Title string
	Choices     []Choice
	None        string
	Error       string
}

// DeliveryPage asks for the shipping rate and the payment method.
type DeliveryPage struct {
	StepPage
	Ships  bool
	Groups []ChoiceGroup
}

// Wrong returns the choices with an error.
func (p DeliveryPage) Wrong() []ChoiceGroup {
	return slices.DeleteFunc(slices.Clone(p.Groups), func(g ChoiceGroup) bool { return g.Error == "" })
}

// Complete reports whether every choice has an option.
func (p DeliveryPage) Complete() bool {
	return !slices.ContainsFunc(p.Groups, func(g ChoiceGroup) bool { return len(g.Choices) == 0 })
}

// Part is an answer of the shopper, with the step that changes it.
type Part struct {
	Label, URL string
	Lines      []string
}

// ReviewPage shows the order before it is placed.
type ReviewPage struct {
	StepPage
	Parts []Part
	Total string
	// Away says that the form leads to a payment provider.
	Away bool
	// Shown is the total that the shopper agrees to, and Goods a digest of the items. If either has
	// changed, the review is shown again.
	Shown, Goods string
}

// PayPage is the page of a test payment.
type PayPage struct {
	Frame
	Action string
	Number string
	Total  string
	// Reopens offers a return to the checkout.
	Reopens bool
}

// CancelPage asks the shopper to confirm that an order is canceled.
type CancelPage struct {
	Frame
	Number string
	Back   string // the page of the order
}

// LeftPage shows the items of a cart that was left, perhaps in another browser.
type LeftPage struct {
	Frame
	Lines  []Line
	Action string
}

// LeavePage links to the page of a payment provider.
type LeavePage struct {
	Frame
	URL, Total string
}

// Parcel is a shipment.
type Parcel struct {
	Carrier, Number, URL string
	// Sent says when it was shipped, and Items what it contains.
	Sent  string
	Items []string
}

// StatusPage is the page of an order.
type StatusPage struct {
	Frame
	Thanks       bool
	Number, Date string
	States       []string
	Instructions string
	// PayBy says by when the payment has to arrive; "" if there is no date.
	PayBy string
	// PayURL leads to the payment of Total; "" if none is due.
	PayURL, Total string
	// Away says that the order is paid on the pages of a payment provider.
	Away bool
	// Reopens offers a return to the checkout.
	Reopens bool
	// Returned says that a return was just received. ReturnURL and WithdrawURL lead to the forms of more, "" if
	// there are none, and ReturnUntil says how long.
	Returned               bool
	Returns                []ReturnRow
	ReturnURL, WithdrawURL string
	ReturnUntil            string
	// AgainURL puts the items into the cart; "" if none of them is a product.
	AgainURL string
	// CancelURL is where the shopper cancels the order; "" if they cannot.
	CancelURL string
	Parcels   []Parcel
	// Downloads are the files that were bought.
	Downloads []Link
	// Invoices are links to the invoices and credit notes.
	Invoices []Option
	Address  []string
	Lines    []Line
	Sums     []Sum
}

// PasswordPage asks for the password of the shop.
type PasswordPage struct {
	Frame
	Field Field
}

// LegalPage shows a page of the shop to visitors without the password.
type LegalPage struct {
	Frame
	HTML template.HTML
}

// MessagePage shows a message.
type MessagePage struct {
	Frame
	Text string
}
