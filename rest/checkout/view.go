package checkout

import (
	"fmt"

	"github.com/storefront-go/storefront/graph/lib/phrase"
)

// Frame is what every page has.
type Frame struct {
	Texts *phrase.Texts
	Shop  string // the name of the store
	Title string // of the page
	// Logo and Style are the addresses of the store's logo, "" for none, and of the
	// stylesheet.
	Logo, Style string
	// Problem is what went wrong, above all else.
	Problem string
	// Legal are the pages that have to be at hand where somebody buys, as far as the store has them.
	Legal []Option
}

// Say returns a text by its name in templates.
func (f Frame) Say(name string, args ...string) (string, error) {
	k, ok := names[name]
	if !ok {
		return "", fmt.Errorf("there is no text %q", name)
	}
	return f.Texts.Say(k, args...), nil
}

// Lang is the language of the page.
func (f Frame) Lang() string { return string(f.Texts.Language()) }

// Dir is the direction in which the page is read.
func (f Frame) Dir() string { return f.Texts.Language().Direction() }

// Line is one of a cart or of an order. Amounts are written out.
type Line struct {
	Product, Variant string // ids, of a cart's line alone
	Title, Options   string
	URL              string
	Picture          string
	Quantity         int64
	Entered          string // the quantity as the field of a cart shows it
	Error            string // what is wrong with that
	Unit, Total      string
	Gone             bool
	// Notes say what has changed since the shopper last looked, or what became of an order's line.
	Notes []string
}

// Sum is a line of what something comes to.
type Sum struct {
	Label, Amount string
	Last          bool // the total
}

// Field is one input of a form, or a list to choose from.
type Field struct {
	Name, Label string
	Type        string // of the input: text, email or tel; "" where there are options
	Value       string
	// Autocomplete is what browsers fill in here.
	Autocomplete string
	Error        string
	Hint         string // beside the label
	Required     bool
	MaxLength    int
	Options      []Option
}

// Option is one value of a [Field].
type Option struct{ Value, Label string }

// Choice is one of the ways to send or to pay.
type Choice struct {
	Value, Label string
	Detail       string // below the label
	Amount       string
	Chosen       bool
}

// Step is one of the checkout.
type Step struct {
	Label, URL string
	Now, Done  bool
}

// CartPage is what the shopper has gathered.
type CartPage struct {
	Frame
	Lines []Line
	Sums  []Sum
	Note  string
	Code  Field
	Added bool
	// Later says what the sums lack yet, and LaterURL is where more of it stands, "" for nowhere.
	Later, LaterURL string
}

// FormPage is a step with fields.
type FormPage struct {
	Frame
	Steps  []Step
	Action string
	Back   string
	Fields []Field
	Sums   []Sum
}

// Wrong are the fields that have an error.
func (p FormPage) Wrong() []Field {
	var wrong []Field
	for _, f := range p.Fields {
		if f.Error != "" {
			wrong = append(wrong, f)
		}
	}
	return wrong
}

// ChoicePage is a step at which one thing is chosen. Nothing can be when there are no
// choices; None says why.
type ChoicePage struct {
	Frame
	Steps   []Step
	Action  string
	Back    string
	Name    string
	Choices []Choice
	None    string
	Error   string
	Sums    []Sum
}

// Part is something that the shopper has said, with the step at which it can be changed.
type Part struct {
	Label, URL string
	Lines      []string
}

// ReviewPage shows the order before it is placed.
type ReviewPage struct {
	Frame
	Steps []Step
	Parts []Part
	Lines []Line
	Sums  []Sum
	Total string
	Back  string
	// Away says that the form leads to the pages of a payment provider.
	Away bool
	// Shown is the total that the shopper agrees to, Goods what it is for; others ask again.
	Shown, Goods string
}

// PayPage is the test of a payment.
type PayPage struct {
	Frame
	Action string
	Number string
	Total  string
	// Reopens offers the way back to the checkout.
	Reopens bool
}

// LeavePage leads to the page of a payment provider.
type LeavePage struct {
	Frame
	URL, Total string
}

// Parcel is something that was sent.
type Parcel struct {
	Carrier, Number, URL string
}

// StatusPage is the page of an order.
type StatusPage struct {
	Frame
	Thanks       bool
	Number, Date string
	States       []string
	Instructions string
	// PayBy says until when the payment has to arrive, "" where that is not said.
	PayBy string
	// PayURL leads to the payment of the Total, "" where none is waited for.
	PayURL, Total string
	// Away says that it is paid on the pages of a payment provider.
	Away bool
	// Reopens offers the way back to the checkout.
	Reopens bool
	Parcels []Parcel
	Address []string
	Lines   []Line
	Sums    []Sum
}

// MessagePage says something.
type MessagePage struct {
	Frame
	Text string
}
