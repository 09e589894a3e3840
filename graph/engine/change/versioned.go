package change

import (
	"context"

	"github.com/storefront-go/storefront/ent"
	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/event"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/outbox"
)

// Update is a generated ent update of rows with a version.
type Update[U any] interface {
	SetVersion(version int64) U
	SetUpdatedAt(t micros.Time) U
	Save(ctx context.Context) (count int, err error)
}

// Versioned describes how rows of one kind change. R is a pointer to the loaded entity.
type Versioned[R any, U Update[U]] struct {
	Kind xid.Kind
	// Load reads the row in the transaction.
	Load func(ctx context.Context, id xid.ID) (R, error)
	// Head returns the members that every change of the row updates.
	Head func(R) Head
	// Update begins an update of the row on the condition that it still has the version.
	Update func(ctx context.Context, id xid.ID, version int64) U
	// Delete removes the row if it still has the version; nil for kinds that are not deleted.
	Delete func(ctx context.Context, id xid.ID, version int64) (count int, err error)
	// Object returns the representation for events; nil for kinds without events.
	Object func(R) []byte
	// Finish completes an edit that changes something: it adds events and derived members; nil adds
	// nothing.
	Finish func(*Edit[R, U])
	// Taken returns the fault for a duplicate unique key.
	Taken func() error
	// Handles keeps former handles of the rows; nil for kinds without handles.
	Handles *Handles[R]
	// Recorded runs when a change of a row is recorded, before the commit; nil does nothing.
	Recorded func(ctx context.Context, id xid.ID)
	// Lost is returned if Update changes no row; nil is the fault of [Swapped].
	Lost error
}

// Head points to the members of a loaded entity that every change updates.
type Head struct {
	Store, ID xid.ID
	Version   *int64
	// Sequence counts the events of the resource; nil for kinds without events.
	Sequence  *int64
	UpdatedAt *micros.Time
}

// resource returns the resource of the row's events in its present state.
func (h Head) resource() outbox.Resource {
	if h.Sequence == nil {
		return outbox.Resource{}
	}
	return outbox.Resource{Store: h.Store, ID: h.ID, Version: *h.Version, Sequence: *h.Sequence, At: *h.UpdatedAt}
}

// Edit is a change of one row in progress: the changed entity, the update that writes it, and its
// events. An edit without changed members and events writes nothing.
type Edit[R, U any] struct {
	Row    R
	Update U
	// Now is the time of the change.
	Now micros.Time
	// Changed names the members that differ.
	Changed []string
	// Detail is the detail of the audit row.
	Detail string
	// SameVersion leaves the version as it is: only the event sequence advances.
	SameVersion bool
	// Events are the events of the change; those without an object get the row's.
	Events []outbox.Entry
	// Then runs after the row is written, before the commit; nil does nothing.
	Then func(context.Context) error
}

// Emit adds an event.
func (e *Edit[R, U]) Emit(t event.Type) { e.Events = append(e.Events, outbox.Entry{Type: t}) }

// Expect reads a row and returns the fault of [Stale] if it has another version.
func (v *Versioned[R, U]) Expect(ctx context.Context, id xid.ID, version int64) (R, error) {
	row, err := v.Load(ctx, id)
	if err != nil {
		return row, err
	}
	if present := *v.Head(row).Version; present != version {
		return row, Stale(v.Kind, version, present)
	}
	return row, nil
}

// Apply runs edit on a row that this transaction has read, and writes it. The row is written first:
// of two concurrent changes, the second fails before it has written anything else.
func (v *Versioned[R, U]) Apply(ctx context.Context, row R, action string,
	edit func(context.Context, *Edit[R, U]) error,
) (*Record, error) {
	h, former := v.Head(row), v.handle(row)
	e := &Edit[R, U]{Row: row, Now: UpdateTime(ctx, *h.UpdatedAt), Update: v.Update(ctx, h.ID, *h.Version)}
	if err := edit(ctx, e); err != nil || len(e.Changed) == 0 && len(e.Events) == 0 {
		return nil, err
	}
	if v.Finish != nil {
		v.Finish(e)
	}
	if err := v.save(ctx, h, e); err != nil {
		return nil, err
	}
	if v.handle(row) != former {
		if err := v.Handles.keep(ctx, v.Kind, h.ID, former); err != nil {
			return nil, err
		}
	}
	if e.Then != nil {
		if err := e.Then(ctx); err != nil {
			return nil, err
		}
	}
	v.complete(row, e.Events)
	return v.record(h, action, e.Detail, e.Events), nil
}

// Write is [Versioned.Apply], and writes the record.
func (v *Versioned[R, U]) Write(ctx context.Context, c *db.Client, row R, action string,
	edit func(context.Context, *Edit[R, U]) error,
) error {
	r, err := v.Apply(ctx, row, action, edit)
	if err != nil || r == nil {
		return err
	}
	return r.Write(ctx, c)
}

func (v *Versioned[R, U]) record(h Head, action, detail string, events []outbox.Entry) *Record {
	return &Record{Action: action, Kind: v.Kind, ID: h.ID, Detail: detail, Of: h.resource(), Events: events,
		recorded: v.Recorded}
}

// handle returns the handle of a row; "" for kinds without handles.
func (v *Versioned[R, U]) handle(row R) string {
	if v.Handles == nil {
		return ""
	}
	return v.Handles.Of(row)
}

// save writes the row with the next version, event sequence and updated_at.
func (v *Versioned[R, U]) save(ctx context.Context, h Head, e *Edit[R, U]) error {
	if !e.SameVersion {
		*h.Version++
		e.Update.SetVersion(*h.Version)
	}
	if h.Sequence != nil {
		*h.Sequence += int64(len(e.Events))
		any(e.Update).(interface{ SetEventSequence(int64) U }).SetEventSequence(*h.Sequence)
	}
	*h.UpdatedAt = e.Now
	n, err := e.Update.SetUpdatedAt(e.Now).Save(ctx)
	switch {
	case v.Taken != nil && ent.IsDuplicate(err):
		return v.Taken()
	case v.Lost != nil && err == nil && n == 0:
		return v.Lost
	}
	return Swapped(v.Kind, n, err)
}

// complete sets the row's representation on events without an object.
func (v *Versioned[R, U]) complete(row R, events []outbox.Entry) {
	var object []byte
	for i := range events {
		if events[i].Object != nil {
			continue
		}
		if object == nil {
			object = v.Object(row)
		}
		events[i].Object = object
	}
}

// Created returns the record of a new row with its first events.
func (v *Versioned[R, U]) Created(row R, action, detail string, events ...event.Type) *Record {
	r := v.record(v.Head(row), action, detail, nil)
	if len(events) > 0 {
		r.Events = EventsOf(v.Object(row), events...)
	}
	return r
}

// Remove deletes a row that this transaction has read.
func (v *Versioned[R, U]) Remove(ctx context.Context, row R, action string, events ...event.Type) (*Record, error) {
	h := v.Head(row)
	n, err := v.Delete(ctx, h.ID, *h.Version)
	if err := Swapped(v.Kind, n, err); err != nil {
		return nil, err
	}
	if v.Handles != nil {
		if err := v.Handles.forget(ctx, h.ID); err != nil {
			return nil, err
		}
	}
	*h.Version++
	if h.Sequence != nil {
		*h.Sequence += int64(len(events))
	}
	gone := v.Created(row, action, "", events...)
	gone.Of.At = UpdateTime(ctx, *h.UpdatedAt)
	return gone, nil
}
