package sales

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/note"
	"github.com/storefront-go/storefront/ent/db/order"
	"github.com/storefront-go/storefront/ent/db/staff"
	"github.com/storefront-go/storefront/ent/db/user"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/lineset"
	"github.com/storefront-go/storefront/ent/moment"
	"github.com/storefront-go/storefront/ent/state"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/core"
	"github.com/storefront-go/storefront/graph/engine/change"
	"github.com/storefront-go/storefront/graph/engine/notify"
	"github.com/storefront-go/storefront/graph/lib/page"
	"github.com/storefront-go/storefront/graph/lib/wire"
	"github.com/storefront-go/storefront/graph/model"
)

// OrderNotes lists the notes of one order, newest first.
func (q Query) OrderNotes(
	ctx context.Context, orderID string, first *int, after *string,
) (*model.OrderNoteConnection, error) {
	id, err := core.ParseID(xid.Order, orderID)
	if err != nil {
		return nil, err
	}
	return core.Connect(ctx, q.Core, core.List[*model.OrderNote]{
		Name: "order notes", Filters: []string{"order_id", id.String()},
		At: func(n *model.OrderNote) page.Position { return core.ByID(n.ID) },
		Read: func(ctx context.Context, after *page.Position, limit int) ([]*model.OrderNote, error) {
			query := q.Client(ctx).Note.Query().Where(note.OrderID(id))
			query.Modify(core.Window{After: after, Limit: limit, Index: noteIndex}.Apply)
			rows, err := query.Load(ctx)
			if err == nil && len(rows) == 0 {
				// Only for an order without notes is it worth checking that the order exists.
				_, err = q.order(ctx, id)
				err = core.Explain("order", err)
			}
			notes := make([]*model.OrderNote, len(rows))
			for i, n := range rows {
				notes[i] = &model.OrderNote{Note: n}
			}
			return notes, err
		},
	}, first, after)
}

// OrderNoteAppend adds a note. It takes no expected version: notes do not conflict, so any number
// of them succeed concurrently. Each raises the order's version.
func (m Mutation) OrderNoteAppend(
	ctx context.Context, orderID string, in model.OrderNoteInput,
) (*model.OrderNotePayload, error) {
	c := core.NewCheck(in)
	c.Long("body", in.Body, limit.Note)
	if !in.Visibility.Known() {
		c.Add("visibility", fault.UnknownValue, "The visibility must be internal or customer.")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	id, err := core.ParseID(xid.Order, orderID)
	if err != nil {
		return nil, err
	}
	var payload *model.OrderNotePayload
	err = m.Commit(ctx, xid.Order, func(ctx context.Context) (*change.Record, error) {
		n, o, err := m.appendNote(ctx, id, in)
		if err != nil {
			return nil, err
		}
		if err := m.mention(ctx, o, n); err != nil {
			return nil, err
		}
		shown, err := m.withLines(ctx, []*db.Order{o})
		if err != nil {
			return nil, err
		}
		payload = &model.OrderNotePayload{Note: &model.OrderNote{Note: n}, Order: shown[0]}
		done := m.orders().Created(shown[0], "order.note_append", "")
		done.Events = change.EventsOf(encodeNote(n), event.OrderNoteAdded)
		return done, nil
	})
	if err != nil {
		return nil, err
	}
	return payload, nil
}

// appendNote increments the order's counters in place, which also serializes the notes of one
// order, and writes the note.
func (m Mutation) appendNote(ctx context.Context, id xid.ID, in model.OrderNoteInput) (*db.Note, *db.Order, error) {
	moved, err := m.Client(ctx).Order.Update().Where(order.ID(id)).
		AddNotesCount(1).AddVersion(1).AddEventSequence(1).
		Modify(change.RaiseUpdatedAt(moment.Now(ctx)), lineset.Keep).Save(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("count the note: %w", err)
	}
	if moved == 0 {
		return nil, nil, core.ErrNoRow
	}
	o, err := m.order(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	// The id is created under the order's lock, so ids of notes follow the order's versions.
	n, err := m.noteRow(ctx, xid.New(), id, in).Save(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("add note: %w", err)
	}
	return n, o, nil
}

// noteRow returns a note by the viewer.
func (m Mutation) noteRow(ctx context.Context, id, order xid.ID, in model.OrderNoteInput) *db.NoteCreate {
	v := viewer.From(ctx)
	return m.Client(ctx).Note.Create().SetID(id).SetOrderID(order).SetBody(in.Body).SetVisibility(in.Visibility).
		SetAuthorType(v.Kind).SetAuthorID(v.Actor).SetAuthorName(v.Name)
}

// encodeNote returns the representation of a note, with its author.
func encodeNote(n *db.Note) []byte {
	return wire.AppendNote(nil, n, wire.ActorID(n.AuthorType, n.AuthorID))
}

// NoteReaders lists the members of the viewer's store who may read notes, and may be mentioned in one.
func (q Query) NoteReaders(ctx context.Context) ([]*model.NoteReader, error) {
	people, err := q.noteReaders(ctx)
	if err != nil {
		return nil, core.Explain("staff", err)
	}
	list := make([]*model.NoteReader, len(people))
	for i, p := range people {
		list[i] = &model.NoteReader{ID: xid.User.Format(p.ID), Name: p.Name}
	}
	return list, nil
}

// noteReaders reads the people of [Query.NoteReaders], sorted by name.
func (r *Resolver) noteReaders(ctx context.Context) ([]*db.User, error) {
	ids, err := r.Client(ctx).Staff.Query().
		Where(staff.RoleIn(viewer.Owner, viewer.Admin, viewer.Support)).IDs(ctx)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	there := r.Store.Aside(ctx)
	people, err := r.Client(there).User.Query().Where(user.IDIn(ids...)).Load(there)
	if err != nil {
		return nil, fmt.Errorf("read the staff: %w", err)
	}
	slices.SortFunc(people, func(a, b *db.User) int { return strings.Compare(a.Name, b.Name) })
	return people, nil
}

// mention notifies the people whom a note of staff mentions, in the transaction of the note. The notice
// does not contain the note, since everyone in the store sees notices.
func (m Mutation) mention(ctx context.Context, o *db.Order, n *db.Note) error {
	if n.AuthorType != viewer.Staff || !strings.Contains(n.Body, "@") {
		return nil
	}
	people, err := m.noteReaders(ctx)
	if err != nil {
		return err
	}
	number := strconv.FormatInt(o.Number, 10)
	for _, p := range mentioned(n.Body, people) {
		if p.ID == n.AuthorID {
			continue
		}
		notice := notify.Notice{Level: state.NotificationInfo, Kind: xid.Order, ID: o.ID, Person: p.ID,
			Title: "Note for " + clipped(p.Name) + " on order #" + number,
			Body:  clipped(n.AuthorName) + " mentioned " + clipped(p.Name) + " in a note on order #" + number + "."}
		if err := m.Notifier.Append(ctx, m.Store, notice); err != nil {
			return err
		}
	}
	return nil
}

// mentioned returns the people whose names follow an @ in a text, ignoring case. Of several names that fit,
// the longest counts; people of the same name are all mentioned.
func mentioned(text string, people []*db.User) (found []*db.User) {
	text = strings.ToLower(text)
	for {
		_, rest, ok := strings.Cut(text, "@")
		if !ok {
			return found
		}
		text = rest
		longest := ""
		for _, p := range people {
			if name := strings.ToLower(p.Name); len(name) > len(longest) && startsWithName(rest, name) {
				longest = name
			}
		}
		for _, p := range people {
			if longest != "" && strings.EqualFold(p.Name, longest) && !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
	}
}

// startsWithName reports whether a text starts with a name that ends there.
func startsWithName(text, name string) bool {
	rest, ok := strings.CutPrefix(text, name)
	next, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next))
}
