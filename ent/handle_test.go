package ent

import (
	"database/sql"
	"path/filepath"
	"reflect"
	"testing"
)

// The writer and a reader each have their own handle, and no mutex.
func TestHandle(t *testing.T) {
	writer, readers, err := openSQLite(target{path: filepath.Join(t.TempDir(), "a.db")}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writer.Close(); readers.Close() })
	for name, pool := range map[string]*sql.DB{"writer": writer, "readers": readers} {
		c, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		err = c.Raw(func(driver any) error {
			p := driver.(*preparedConn)
			db := reflect.ValueOf(p.sqliteConn).Elem().FieldByName("db").Uint()
			if p.handle.db != uintptr(db) {
				t.Errorf("%s: has the handle of another connection", name)
			}
			if connection(p.handle.db).Fmutex != 0 {
				t.Errorf("%s: has a mutex", name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
