package checkout

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/graph/lib/pixel"
	"github.com/storefront-go/storefront/graph/model"
)

// ReturnPage asks what a shopper returns of an order. A withdrawal from the contract takes two steps
// (Directive 2011/83/EU, Article 11a): the statement, and its confirmation.
type ReturnPage struct {
	Frame
	Number, Action, Back string
	// Intro says what to do, and Until how long it is possible; "" for no end yet.
	Intro, Until string
	// Confirms says that this is the second step, which shows Lines and sends Hidden.
	Confirms bool
	Lines    []string
	Hidden   []Option
	// Excluded are the items that cannot be returned.
	Excluded []string
	// Fields are the quantities of the items and what else is asked.
	Fields []Field
	// Instructions are the store's, and Receipt says where the receipt goes.
	Instructions, Receipt string
	Button                string
	// Uploads says that the form has files.
	Uploads bool
}

// Wrong returns the fields with an error.
func (p ReturnPage) Wrong() []Field {
	return slices.DeleteFunc(slices.Clone(p.Fields), func(f Field) bool { return f.Error == "" })
}

// ReturnRow is a return on the page of its order.
type ReturnRow struct {
	State, Received string
	Items           []string
	// Statement is who withdrew, and where the receipt went.
	Statement []string
	// Answer is what the store said, and LabelURL the address of a label.
	Answer, LabelURL string
	// Exchange names the order that the shopper got in exchange, with its address; "" for none.
	Exchange, ExchangeURL string
}

// giving is a shopper's visit to a page that returns items.
type giving struct {
	*visit
	way   sales.ReturnWay
	order *storefront.ShopperOrder
	of    *sales.Returnable
}

// giveBack opens the page of an order that returns items. If nothing can be returned, its order is shown.
func (v *visit) giveBack(token string, way sales.ReturnWay, then func(g *giving)) func() {
	return func() {
		v.w.Header().Set("Referrer-Policy", "no-referrer")
		id, ok := v.Links.Order(v.store, token)
		if !ok {
			v.missing()
			return
		}
		o, err := v.Core.Order(v.ctx, id)
		if err != nil {
			v.failed(err)
			return
		}
		if o.Language != nil {
			v.texts = phrase.In(*o.Language)
		}
		of, err := v.Shoppers.Returnable(v.ctx, o.Order, o.Lines)
		if err != nil {
			v.failed(err)
			return
		}
		g := &giving{v, way, o, of}
		switch items, _, err := g.items(); {
		case err != nil:
			v.failed(err)
		case len(items) == 0:
			to(v.w, orderRoot+token)
		default:
			then(g)
		}
	}
}

// item is a line of which units can be returned.
type item struct {
	*db.OrderLine
	title string
	units int64
}

// items returns what can be returned, and the titles of what the store excludes.
func (g *giving) items() (list []item, excluded []string, err error) {
	for _, l := range g.order.Lines {
		units, why, err := g.of.MayReturn(l, g.way, micros.Now())
		if err != nil {
			return nil, nil, err
		}
		title, err := titleOf(l)
		if err != nil {
			return nil, nil, err
		}
		switch why {
		case "":
			list = append(list, item{l, title, units})
		case state.RefusedExcluded:
			excluded = append(excluded, title)
		}
	}
	return list, excluded, nil
}

// titleOf returns the title of a line with its options.
func titleOf(l *db.OrderLine) (string, error) {
	options, err := l.Options.List()
	return strings.Join(slices.Concat([]string{l.Title}, options), " / "), err
}

// returnPage is GET /orders/{token}/return and GET /orders/{token}/withdraw.
func returnPage(g *giving) {
	values := map[string]string{}
	if g.way == sales.ByWithdrawal {
		values["name"] = g.nameOf()
	}
	g.ask(http.StatusOK, values, nil, "")
}

// nameOf returns the name of the address, as long as the page of the order shows it.
func (g *giving) nameOf() string {
	address, err := g.order.ShippingAddress.Fields()
	if err != nil || address == nil || time.Since(g.order.PlacedOn) >= addressTime {
		return ""
	}
	return core.Deref(address.Name)
}

// page returns what the steps have in common.
func (g *giving) page() (ReturnPage, error) {
	number := strconv.FormatInt(g.order.Number, 10)
	page := ReturnPage{Frame: g.frame(phrase.ReturnItems), Number: number, Back: g.orderPath(g.order.ID),
		Action: g.orderPath(g.order.ID) + returnSuffix, Intro: g.texts.Say(phrase.ReturnChoose),
		Button: g.texts.Say(phrase.ReturnSend)}
	if g.way == sales.ByWithdrawal {
		page.Title, page.Action = g.texts.Say(phrase.Withdraw), page.Back+withdrawSuffix
		page.Intro, page.Button = g.texts.Say(phrase.WithdrawChoose), g.texts.Say(phrase.Continue)
		page.Receipt = g.texts.Say(phrase.WithdrawReceipt, core.Deref(g.order.Email))
	}
	var err error
	page.Until, err = untilOf(g.texts, g.of, g.way)
	return page, err
}

// untilOf says how long an order can be returned, "" while the time has not begun.
func untilOf(texts *phrase.Texts, of *sales.Returnable, way sales.ReturnWay) (string, error) {
	until, err := of.Until(way)
	if err != nil || until == nil {
		return "", err
	}
	return texts.Say(phrase.ReturnUntil, texts.Date(until.Time().In(of.Zone).AddDate(0, 0, -1))), nil
}

// ask shows the form. wrong holds the errors by the names of fields.
func (g *giving) ask(status int, values, wrong map[string]string, problem string) {
	page, err := g.page()
	items, excluded, failed := g.items()
	if err = errors.Join(err, failed); err != nil {
		g.failed(err)
		return
	}
	page.Problem, page.Excluded, page.Instructions = problem, excluded, core.Deref(g.of.Terms.Instructions)
	for _, i := range items {
		name := quantityField + i.PublicID()
		value, given := values[name]
		switch {
		case given:
		case g.way == sales.ByWithdrawal:
			value = strconv.FormatInt(i.units, 10)
		default:
			value = "0"
		}
		page.Fields = append(page.Fields, Field{Name: name, Label: i.title, Type: "number", Value: value,
			Hint: "0–" + strconv.FormatInt(i.units, 10), Error: wrong[name], Autocomplete: "off"})
	}
	if g.way == sales.ByWithdrawal {
		page.Fields = append(page.Fields, fieldsOf(g.texts, statementFields, values, wrong)...)
	} else {
		page.Fields = append(page.Fields, fieldsOf(g.texts, requestFields, values, wrong)...)
		reason := &page.Fields[len(page.Fields)-2]
		for _, r := range state.ReturnReasons() {
			reason.Options = append(reason.Options, Option{string(r), g.texts.Say(reasonTexts[r])})
		}
		if page.Uploads = g.of.Photos; page.Uploads { // the files follow the fields
			page.Fields = append(page.Fields, Field{Name: photoField, Type: "file",
				Label: g.texts.Say(phrase.ReturnPhotos), Error: wrong[photoField],
				Hint: g.texts.Say(phrase.ReturnPhotosHint, strconv.Itoa(limit.Photos),
					strconv.Itoa(limit.PhotoBytes>>20))})
		}
	}
	g.show(g.w, g.r, status, page)
}

// The fields of forms beside the quantities; never changed.
var (
	statementFields = []blank{{"name", phrase.Name, "text", "name", maxLine, true}}
	requestFields   = []blank{
		{"reason", phrase.ReturnReason, "", "off", 0, false},
		{"note", phrase.ReturnNote, "long", "off", limit.ReturnText, false},
	}
)

// reasonTexts are the names of reasons; never changed.
var reasonTexts = map[state.ReturnReason]phrase.Key{
	state.ReasonNone: phrase.ReasonNone, state.ReasonMind: phrase.ReasonMind, state.ReasonDamaged: phrase.ReasonDamaged,
	state.ReasonWrong: phrase.ReasonWrong, state.ReasonUnlike: phrase.ReasonUnlike, state.ReasonLate: phrase.ReasonLate,
}

// sendReturn is POST /orders/{token}/return and POST /orders/{token}/withdraw.
func sendReturn(g *giving) {
	values := map[string]string{}
	for name := range g.form {
		values[name] = g.value(name)
	}
	in, wrong, err := g.read(values)
	if err != nil {
		g.failed(err)
		return
	}
	withdraws := g.way == sales.ByWithdrawal
	if name := values["name"]; withdraws && name == "" {
		wrong["name"] = g.texts.Say(phrase.Required)
	}
	switch {
	case g.photos.wrong:
		wrong[photoField] = g.texts.Say(phrase.ReturnPhotoWrong)
	case g.photos.later:
		wrong[photoField] = g.texts.Say(phrase.ReturnPhotosLater)
	}
	switch {
	case len(wrong) > 0:
		g.ask(http.StatusUnprocessableEntity, values, wrong, "")
	case len(in.Lines) == 0:
		g.ask(http.StatusUnprocessableEntity, values, nil, g.texts.Say(phrase.ReturnNone))
	case withdraws && g.form.Has("back"):
		g.ask(http.StatusOK, values, nil, "")
	case withdraws && !g.form.Has("confirm"):
		g.confirm(values, in)
	default:
		g.send(values, in)
	}
}

// read reads the form. wrong holds the errors by the names of fields.
func (g *giving) read(values map[string]string) (in model.ReturnInput, wrong map[string]string, err error) {
	wrong = map[string]string{}
	reason := state.ReasonNone
	if r := state.ReturnReason(values["reason"]); g.way == sales.ByRequest && r.Known() {
		reason = r
	}
	if note := values["note"]; g.way == sales.ByRequest && note != "" {
		in.Note = &note
	}
	items, _, err := g.items()
	for _, i := range items {
		name := quantityField + i.PublicID()
		n, failed := strconv.ParseInt(core.FoldDigits(values[name]), 10, 64)
		switch {
		case values[name] == "":
		case failed != nil || n < 0 || n > i.units:
			wrong[name] = g.texts.Say(phrase.NotValid)
		case n > 0:
			in.Lines = append(in.Lines, &model.ReturnLineInput{LineItemID: i.PublicID(), Quantity: n, Reason: reason})
		}
	}
	return in, wrong, err
}

// confirm shows the statement of a withdrawal, to be confirmed.
func (g *giving) confirm(values map[string]string, in model.ReturnInput) {
	page, err := g.page()
	if err != nil {
		g.failed(err)
		return
	}
	page.Confirms, page.Button = true, g.texts.Say(phrase.WithdrawConfirm)
	page.Intro = g.texts.Say(phrase.WithdrawStatement, page.Number)
	page.Hidden = []Option{{"name", values["name"]}}
	for _, l := range in.Lines {
		name := quantityField + l.LineItemID
		page.Hidden = append(page.Hidden, Option{name, strconv.FormatInt(l.Quantity, 10)})
		if page.Lines, err = addItem(page.Lines, g.order, l.LineItemID, l.Quantity); err != nil {
			g.failed(err)
			return
		}
	}
	page.Lines = append(page.Lines, g.texts.Say(phrase.Name)+": "+values["name"])
	g.show(g.w, g.r, http.StatusOK, page)
}

// send creates the return, and shows the order with it.
func (g *giving) send(values map[string]string, in model.ReturnInput) {
	var bodies [][]byte
	if g.way == sales.ByRequest && g.of.Photos {
		bodies = g.photos.bodies
	}
	err := g.Shoppers.Return(g.ctx, g.order.ID, g.way, values["name"], in, bodies...)
	_, refused := errors.AsType[*pixel.Fault](err)
	f, _ := errors.AsType[*fault.Error](err)
	switch wrong := g.wrongOf(err); {
	case err == nil:
		to(g.w, g.orderPath(g.order.ID)+"?returned")
	case wrong != nil:
		g.ask(http.StatusUnprocessableEntity, values, wrong, "")
	case refused:
		wrong := map[string]string{photoField: g.texts.Say(phrase.ReturnPhotoWrong)}
		g.ask(http.StatusUnprocessableEntity, values, wrong, "")
	case len(bodies) > 0 && f != nil && (f.Kind == fault.LimitReached || f.Kind == fault.RateLimited ||
		f.Kind == fault.Unavailable):
		wrong := map[string]string{photoField: g.texts.Say(phrase.ReturnPhotosLater)}
		g.ask(http.StatusUnprocessableEntity, values, wrong, "")
	case f != nil && f.Kind == fault.Conflict:
		g.ask(http.StatusConflict, values, nil, g.texts.Say(phrase.WithdrawAgain))
	default:
		g.failed(err)
	}
}

// returnStates are the names of the states of returns; never changed.
var returnStates = map[state.ReturnState]phrase.Key{
	state.ReturnRequested: phrase.ReturnStateRequested, state.ReturnApproved: phrase.ReturnStateApproved,
	state.ReturnDeclined: phrase.ReturnStateDeclined, state.ReturnReceived: phrase.ReturnStateReceived,
	state.ReturnRefunded: phrase.ReturnStateRefunded,
}

// addReturns adds the returns of an order to its page, and the links to return more.
func (v *visit) addReturns(page *StatusPage, o *storefront.ShopperOrder) error {
	of, err := v.Shoppers.Returnable(v.ctx, o.Order, o.Lines)
	if err != nil {
		return err
	}
	for _, row := range of.Returns {
		shown, err := v.returnRow(o, of, row)
		if err != nil {
			return err
		}
		page.Returns = append(page.Returns, shown)
	}
	page.Returned = v.r.URL.Query().Has("returned") && len(of.Returns) > 0
	for _, link := range []struct {
		way    sales.ReturnWay
		suffix string
		url    *string
	}{{sales.ByRequest, returnSuffix, &page.ReturnURL}, {sales.ByWithdrawal, withdrawSuffix, &page.WithdrawURL}} {
		items, _, err := (&giving{v, link.way, o, of}).items()
		if err != nil {
			return err
		}
		if len(items) > 0 {
			*link.url = v.orderPath(o.ID) + link.suffix
			if page.ReturnUntil, err = untilOf(v.texts, of, link.way); err != nil {
				return err
			}
		}
	}
	return nil
}

// returnRow shows a return. Its statement is personal, so it is shown as long as the address.
func (v *visit) returnRow(
	o *storefront.ShopperOrder, of *sales.Returnable, row *db.OrderReturn,
) (shown ReturnRow, err error) {
	key := returnStates[row.State]
	if row.Withdrawal && row.State == state.ReturnRequested {
		key = phrase.WithdrawnState
	}
	shown = ReturnRow{State: v.texts.Say(key), Received: sales.ReceivedAt(v.texts, row, of.Zone),
		Answer: core.Deref(row.Answer), LabelURL: core.Deref(row.LabelURL)}
	if files := of.Files[row.ID]; len(files) > 0 && files[0].Position == 0 {
		shown.LabelURL = sales.LabelPath(v.Links, row)
	}
	if row.ExchangeID != nil {
		made, err := v.Core.Order(v.ctx, *row.ExchangeID)
		if err != nil {
			return shown, err
		}
		shown.State = v.texts.Say(phrase.ReturnStateExchanged)
		shown.Exchange = v.texts.Say(phrase.OrderNumber, strconv.FormatInt(made.Number, 10))
		shown.ExchangeURL = v.orderPath(made.ID)
	}
	if row.Withdrawal && time.Since(o.PlacedOn) < addressTime {
		for _, s := range []*string{row.Name, row.Email} {
			core.Opt(s, func(s string) { shown.Statement = append(shown.Statement, s) })
		}
	}
	lines, err := row.Lines.List()
	for _, part := range lines {
		if shown.Items, err = addItem(shown.Items, o, part.LineID, part.Quantity); err != nil {
			return shown, err
		}
	}
	return shown, err
}
