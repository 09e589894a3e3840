package migrate_test

import (
	"bytes"
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/storefront-go/storefront/ent/migrate"
)

// Migrations enter staff of the first version into the directory of memberships, and count the images
// of products that had some before there was a counter.
func TestBackfills(t *testing.T) {
	const addProduct = "INSERT INTO products (store_id, id, updated_at, title, handle, status, price_minor, currency, " +
		"tags) VALUES (?, ?, 1, 'Mug', ?, 'draft', 1, 'EUR', '[]')"
	const addImage = "INSERT INTO product_images (store_id, id, product_id, position, object_id, content_type, width, " +
		"height, size_bytes) VALUES (?, ?, ?, 1, ?, 'image/png', 1, 1, 1)"
	id := func(n byte) []byte { return bytes.Repeat([]byte{n}, 16) }
	eachEmpty(t, func(t *testing.T, address string) {
		s := open(t, address)
		m, versions := folderOf(t, s)
		before := ""
		for i, version := range versions {
			if _, ok := m[version+"_digital.sql"]; ok {
				before = versions[i-1]
			}
		}
		person, store := id(6), id(7)
		applied := func(version string) {
			t.Helper()
			if _, err := migrate.ApplyFolder(t.Context(), s, until(t, m, version)); err != nil {
				t.Fatal(err)
			}
		}
		run := func(ctx context.Context, conn *sql.Conn, query string, args ...any) {
			t.Helper()
			if _, err := conn.ExecContext(ctx, query, args...); err != nil {
				t.Fatal(err)
			}
		}
		applied(versions[0])
		admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
			run(ctx, conn, "INSERT INTO staff (store_id, id, updated_at, role) VALUES (?, ?, 1, 'owner')", store, person)
			return nil
		})
		applied(before)
		admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
			for _, n := range []byte{1, 2} {
				run(ctx, conn, addProduct, id(9), id(n), strings.Repeat("m", int(n)))
			}
			run(ctx, conn, addProduct, id(8), id(1), "m") // another store's
			for _, n := range []byte{3, 4} {
				run(ctx, conn, addImage, id(9), id(n), id(1), id(n))
			}
			return nil
		})
		if _, err := migrate.Apply(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		admin(t, s, func(ctx context.Context, conn *sql.Conn) error {
			var n int
			err := conn.QueryRowContext(ctx, "SELECT COUNT(*) FROM memberships WHERE user_id = ? AND store_id = ?", person,
				store).Scan(&n)
			if err != nil || n != 1 {
				t.Errorf("%d memberships, want 1 (%v)", n, err)
			}
			for _, tc := range []struct {
				store, product byte
				want           int
			}{{9, 1, 2}, {9, 2, 0}, {8, 1, 0}} {
				var got int
				err := conn.QueryRowContext(ctx, "SELECT images_count FROM products WHERE store_id = ? AND id = ? AND "+
					"requires_shipping", id(tc.store), id(tc.product)).Scan(&got)
				if err != nil || got != tc.want {
					t.Errorf("product %d of store %d has %d images, want %d (%v)", tc.product, tc.store, got, tc.want, err)
				}
			}
			return nil
		})
	})
}
