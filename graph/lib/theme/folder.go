package theme

import (
	"io"
	"io/fs"
)

// walk lists the contents of a folder in the form of archives.
func walk(fsys fs.FS, found *Problems) []entry {
	var list []entry
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		if d.IsDir() && d.Name()[0] == '.' {
			return fs.SkipDir // such as .git, with thousands of files
		}
		if len(list) >= maxEntries {
			found.add("", "The folder has more than 300 entries.")
			return fs.SkipAll
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{name: path, mode: d.Type(), open: func() (io.ReadCloser, error) { return fsys.Open(path) }}
		if d.IsDir() {
			e.name += "/"
		} else {
			e.size, e.packed = info.Size(), info.Size()
		}
		list = append(list, e)
		return nil
	})
	if err != nil {
		found.add("", "The folder cannot be read.")
	}
	return list
}
