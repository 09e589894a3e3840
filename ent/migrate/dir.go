package migrate

import (
	"embed"
	"fmt"
	"io/fs"

	"ariga.io/atlas/sql/migrate"
	"entgo.io/ent/dialect"
)

//go:embed mysql sqlite vitess
var embedded embed.FS

func folder(engine string) (fs.FS, error) {
	name := "mysql"
	if engine == dialect.SQLite {
		name = "sqlite"
	}
	return fs.Sub(embedded, name)
}

// load copies a folder of migrations with its atlas.sum, and fails if they do not match.
func load(folder fs.FS) (*migrate.MemDir, error) {
	dir := &migrate.MemDir{}
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	for _, e := range entries {
		b, err := fs.ReadFile(folder, e.Name())
		if err == nil {
			err = dir.WriteFile(e.Name(), b)
		}
		if err != nil {
			return nil, fmt.Errorf("read migrations: %w", err)
		}
	}
	if err := migrate.Validate(dir); err != nil {
		return nil, fmt.Errorf("the migrations do not match their atlas.sum: %w", err)
	}
	return dir, nil
}

func files(dir migrate.Dir) (map[string]migrate.File, []string, error) {
	all, err := dir.Files()
	if err != nil {
		return nil, nil, fmt.Errorf("read migrations: %w", err)
	}
	byVersion, versions := map[string]migrate.File{}, []string(nil)
	for _, f := range all {
		byVersion[f.Version()] = f
		versions = append(versions, f.Version())
	}
	return byVersion, versions, nil
}
