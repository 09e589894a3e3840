package erase

import (
	"context"
	"fmt"
	"slices"

	"github.com/storefront-go/storefront/ent/db"
	"github.com/storefront-go/storefront/ent/db/cart"
	"github.com/storefront-go/storefront/ent/db/mail"
	"github.com/storefront-go/storefront/ent/db/note"
	"github.com/storefront-go/storefront/ent/db/orderreturn"
	"github.com/storefront-go/storefront/ent/db/returnfile"
	"github.com/storefront-go/storefront/ent/db/shopperpasskey"
	"github.com/storefront-go/storefront/ent/db/shoppersession"
	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/viewer"
	"github.com/storefront-go/storefront/ent/xid"
)

const redactedText = "Redacted"

// redactRelated redacts what shoppers typed outside the rows of their orders: the notes of the
// checkout, and what is stored by the email addresses of the orders.
func redactRelated(ctx context.Context, c *db.Client, orders []*db.Order) error {
	var emails []string
	ids := make([]xid.ID, len(orders))
	for i, o := range orders {
		ids[i] = o.ID
		if o.Email != nil {
			emails = append(emails, *o.Email)
		}
	}
	if _, err := notes(ctx, c, ids); err != nil {
		return err
	}
	slices.Sort(emails)
	return Addresses(ctx, c, slices.Compact(emails)...)
}

// notes redacts the notes that shoppers left at the checkout of the orders, and returns how many. It also
// clears what they wrote about their returns.
func notes(ctx context.Context, c *db.Client, orders []xid.ID) (int, error) {
	err := c.OrderReturn.Update().Where(orderreturn.OrderIDIn(orders...), orderreturn.Or(orderreturn.NoteNotNil(),
		orderreturn.NameNotNil(), orderreturn.EmailNotNil())).ClearNote().ClearName().ClearEmail().Exec(ctx)
	if err != nil {
		return 0, fmt.Errorf("redact the notes of returns: %w", err)
	}
	// The sweep of images deletes the bytes of labels and photos, which nothing leads to from now on.
	if _, err := c.ReturnFile.Delete().Where(returnfile.OrderIDIn(orders...)).Exec(ctx); err != nil {
		return 0, fmt.Errorf("delete the files of returns: %w", err)
	}
	n, err := c.Note.Update().Where(note.OrderIDIn(orders...), note.AuthorTypeEQ(viewer.System),
		note.AuthorName(viewer.ShopperName), note.BodyNEQ(redactedText)).SetBody(redactedText).Save(ctx)
	return n, fault.Wrap("redact the notes of shoppers", err)
}

// Addresses redacts what the viewer's store keeps by email address only, in the transaction of ctx:
// carts that were not placed, and emails of the store that are not sent yet.
func Addresses(ctx context.Context, c *db.Client, emails ...string) error {
	if len(emails) == 0 {
		return nil
	}
	// Carts are found before they are locked: no index leads to an address, and shoppers must not
	// wait for the carts that the scan passes.
	ids, err := c.Cart.Query().Where(cart.EmailIn(emails...)).IDs(ctx)
	if err != nil {
		return fmt.Errorf("find carts to redact: %w", err)
	}
	slices.SortFunc(ids, xid.ID.Compare)
	for some := range slices.Chunk(ids, batch) {
		_, err := c.Cart.Update().Where(cart.IDIn(some...)).AddVersion(1).
			ClearEmail().ClearPhone().ClearVatID().ClearVatConsultation().
			ClearAddress().ClearBillingAddress().ClearCountry().ClearRegion().ClearNote().ClearGift().ClearSession().
			Save(ctx)
		if err != nil {
			return fmt.Errorf("redact carts: %w", err)
		}
	}
	waiting, err := c.Mail.Query().Where(mail.RecipientIn(emails...), mail.SenderNameNotNil()).IDs(ctx)
	if err != nil {
		return fmt.Errorf("find emails to redact: %w", err)
	}
	for some := range slices.Chunk(waiting, batch) {
		if _, err := c.Mail.Delete().Where(mail.IDIn(some...)).Exec(ctx); err != nil {
			return fmt.Errorf("delete emails: %w", err)
		}
	}
	return nil
}

// Account deletes the sessions and the passkeys of a customer of the viewer's store, in the
// transaction of ctx.
func Account(ctx context.Context, c *db.Client, customer xid.ID) error {
	_, err := c.ShopperSession.Delete().Where(shoppersession.CustomerID(customer)).Exec(ctx)
	if err == nil {
		_, err = c.ShopperPasskey.Delete().Where(shopperpasskey.CustomerID(customer)).Exec(ctx)
	}
	return fault.Wrap("delete sessions and passkeys", err)
}
