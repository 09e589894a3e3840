package factor

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/session"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/audit"
	"github.com/storefront-go/storefront/graph/engine/notify"
)

// Added is a factor that was set up.
type Added struct {
	Factor *db.Factor
	// Codes are the recovery codes, which come with the first factor. They are not shown again.
	Codes []string
}

type newFactor struct {
	kind state.FactorKind
	name string
	data []byte
	step int64
}

var kindNames = map[state.FactorKind]string{
	state.FactorPasskey: "passkey", state.FactorTOTP: "authenticator app",
}

// add stores a factor in the transaction of ctx, which holds the person. The first factor creates
// recovery codes and ends the person's other sessions.
func (k *Keeper) add(ctx context.Context, by By, person *db.User, f newFactor) (*Added, error) {
	have, err := k.List(ctx, by.Person)
	if err != nil {
		return nil, err
	}
	if int64(len(have)) >= k.most {
		return nil, k.full()
	}
	id, c := xid.New(), k.store.DB(ctx)
	done := &Added{}
	done.Factor, err = c.Factor.Create().SetUserID(by.Person).SetID(id).SetKind(f.kind).SetName(f.name).
		SetData(k.vault.Seal(by.Person, id, f.data)).SetStep(f.step).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("keep a factor: %w", err)
	}
	if err := k.note(ctx, person, state.AccountFactorAdded, f.kind, f.name); err != nil {
		return nil, err
	}
	if len(have) > 0 {
		return done, nil
	}
	if done.Codes, err = k.makeCodes(ctx, by.Person); err != nil {
		return nil, err
	}
	_, err = c.Session.Delete().Where(session.UserID(by.Person), session.IDNEQ(by.Session)).Exec(ctx)
	return done, fault.Wrap("end other sessions", err)
}

func (k *Keeper) full() error {
	row, _ := limit.Factors.Row()
	return fault.AtLimit(string(row.Name), row.Reached(k.most))
}

// note logs a change of factors in the person's account log and emails them.
func (k *Keeper) note(ctx context.Context, person *db.User, what state.AccountAction, kind state.FactorKind,
	name string,
) error {
	if err := audit.Account(ctx, k.store.DB(ctx), person.ID, what, detailOf(kind, name)); err != nil {
		return err
	}
	change, article := "added to", "A "
	if what == state.AccountFactorRemoved {
		change = "removed from"
	}
	if kind == state.FactorTOTP {
		article = "An "
	}
	return k.email(ctx, person, article+kindNames[kind]+" was "+change+" your account",
		"The "+kindNames[kind]+" \""+name+"\" was "+change+" your account "+person.Email+".")
}

// email sends a person an email that ends with what to do if it was not them.
func (k *Keeper) email(ctx context.Context, person *db.User, subject, text string) error {
	return k.notifier.Send(ctx, k.store.DB(ctx), notify.Email{To: person.Email, Of: person.ID, Subject: subject,
		Body: text + "\n\nIf this was not you, change your password and check your second factors and sessions:\n" +
			k.page})
}

func detailOf(kind state.FactorKind, name string) string {
	text := kindNames[kind] + ": " + name
	if utf8.RuneCountInString(text) > limit.Line {
		text = string([]rune(text)[:limit.Line])
	}
	return text
}

// checkName validates the name of a factor. An empty name becomes the name of the kind.
func checkName(kind state.FactorKind, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		text := kindNames[kind]
		return strings.ToUpper(text[:1]) + text[1:], nil
	}
	field := fault.Field{Pointer: "#/name"}
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, hidden):
		field.Code, field.Detail = fault.InvalidFormat, "The name contains invisible characters."
	case utf8.RuneCountInString(name) > limit.Line:
		field.Code = fault.TooLong
		field.Detail = fmt.Sprintf("The name has more than %d characters.", limit.Line)
	default:
		return name, nil
	}
	return "", fault.Invalid(field)
}

func hidden(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
