package access

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	apps "github.com/storefront-go/storefront/ent/db/app"
	"github.com/storefront-go/storefront/ent/db/appname"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/model"
)

// Apps lists the apps that the store registered, including disabled ones, newest first.
func (q Query) Apps(ctx context.Context, first *int, after *string) (*model.AppConnection, error) {
	return core.Connect(ctx, q.Core, core.List[*model.App]{
		Name: "apps",
		At:   func(a *model.App) page.Position { return core.ByID(a.ID) },
		Read: core.ReadNewest(ent.Primary, func() *db.AppQuery { return q.registered(ctx) }, shownApp),
	}, first, after)
}

// App returns one app that the viewer's store registered.
func (q Query) App(ctx context.Context, id string) (*model.App, error) {
	row, err := core.Get(ctx, xid.App, id, q.registeredApp)
	if err != nil {
		return nil, err
	}
	return shownApp(row), nil
}

func shownApp(a *db.App) *model.App { return &model.App{App: a} }

// registered queries the apps that the store registered. It excludes apps known by a metadata
// document, which are defined by their documents.
func (r *Resolver) registered(ctx context.Context) *db.AppQuery {
	return r.Client(ctx).App.Query().Where(apps.MetadataURLIsNil())
}

func (r *Resolver) registeredApp(ctx context.Context, id xid.ID) (*db.App, error) {
	return core.Only(r.registered(ctx).Where(apps.ID(id)).Load(ctx))
}

func (r *Resolver) appsOf(ctx context.Context, grants []*db.Grant) (map[xid.ID]*model.AppSummary, error) {
	store := map[xid.ID]xid.ID{}
	for _, g := range grants {
		store[g.AppID] = g.AppStoreID
	}
	return r.AppsIn(ctx, store)
}

// service is the name of the service in the form of [skeleton], and offices are suffixes that its
// own teams would use.
const service = "storefront"

var offices = map[string]bool{"": true, "admin": true, "api": true, "app": true, "apps": true, "billing": true,
	"dashboard": true, "help": true, "inc": true, "official": true, "payments": true, "security": true,
	"service": true, "staff": true, "support": true, "team": true}

// lookalikes maps letters and digits to the Latin letters that readers take them for. Each pair
// holds the written and the read character.
var lookalikes = func() map[rune]rune {
	of := map[rune]rune{}
	for pair := range strings.FieldsSeq("аa вb гr еe нh кk мm оo рp сc тt уy хx ѕs іi јj һh ԁd ԛq ԝw ɡg " +
		"αa βb εe ηn ιi κk νv οo ρp τt υu χx ωw ıi 0o 1l 3e 5s") {
		runes := []rune(pair)
		of[runes[0]] = runes[1]
	}
	return of
}()

// skeleton returns the same text for names that readers confuse: it drops case, accents, spaces and
// punctuation, and replaces look-alike letters of other scripts. A name without letters and digits
// is returned unchanged.
func skeleton(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(norm.NFKD.String(name))) {
		if latin, ok := lookalikes[r]; ok {
			r = latin
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return name
	}
	return b.String()
}

// checkPublisher checks the public name of an app or its developer, which must not be the name of
// the service.
func checkPublisher(c *core.Check, member, name string) {
	c.Name(member, name, limit.Line)
	if office, ok := strings.CutPrefix(skeleton(name), service); ok && offices[office] {
		c.Add(member, fault.Taken, "This name is reserved for the service.")
	}
}

func (r *Resolver) checkNameFree(ctx context.Context, app xid.ID, name string) error {
	rows, err := r.Client(ctx).AppName.Query().Where(appname.ID(skeleton(name))).Load(ctx)
	if err != nil {
		return fmt.Errorf("find name: %w", err)
	}
	if len(rows) > 0 && rows[0].AppID != app {
		return core.Invalid("name", fault.Taken, "A verified app has this name or a similar one.")
	}
	return nil
}

// MayName reports whether an unregistered app may show a name: it must be one that it could
// register.
func (r *Resolver) MayName(ctx context.Context, name string) (bool, error) {
	c := &core.Check{}
	checkPublisher(c, "client_name", name)
	err := c.Err()
	if err == nil {
		err = r.checkNameFree(ctx, xid.Nil, name)
	}
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return false, nil
	}
	return err == nil, err
}

// rename changes an app's name, which ends its verification.
func (m Mutation) rename(ctx context.Context, e *appEdit, before string) error {
	if err := m.checkNameFree(ctx, e.Row.ID, e.Row.Name); err != nil || e.Row.VerifiedAt == nil {
		return err
	}
	return m.unverify(ctx, e, before)
}

func (m Mutation) unverify(ctx context.Context, e *appEdit, name string) error {
	e.Row.VerifiedAt, e.Changed = nil, append(e.Changed, "verified_at")
	e.Update.ClearVerifiedAt()
	_, err := m.Client(ctx).AppName.Delete().
		Where(appname.StoreID(e.Row.StoreID), appname.ID(skeleton(name)), appname.AppID(e.Row.ID)).Exec(ctx)
	return fault.Wrap("release name", err)
}

// AppVerify sets whether an app of the viewer's store is verified, and reserves its name while it
// is. Only the operator may call it.
func (m Mutation) AppVerify(ctx context.Context, id string, expectedVersion int64, verified bool,
) (*model.AppPayload, error) {
	if v, err := core.Caller(ctx); err != nil || v.Kind != viewer.System {
		return nil, fault.New(fault.Forbidden, "Only the operator can verify apps.")
	}
	return m.changeApp(ctx, id, expectedVersion, "app.verify", func(ctx context.Context, e *appEdit) error {
		switch {
		case verified == (e.Row.VerifiedAt != nil):
			return nil
		case !verified:
			return m.unverify(ctx, e, e.Row.Name)
		}
		now := micros.Now()
		e.Row.VerifiedAt, e.Changed = &now, []string{"verified_at"}
		e.Update.SetVerifiedAt(now)
		err := m.Client(ctx).AppName.Create().SetID(skeleton(e.Row.Name)).SetStoreID(e.Row.StoreID).SetAppID(e.Row.ID).
			Exec(ctx)
		if ent.IsDuplicate(err) {
			return core.Invalid("name", fault.Taken, "Another verified app has this name or a similar one.")
		}
		return fault.Wrap("reserve name", err)
	})
}
