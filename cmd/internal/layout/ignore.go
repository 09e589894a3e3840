package layout

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// readIgnore returns a function that reports whether .gitignore excludes a file or folder. Of its
// syntax it knows what this repository uses: one pattern per line, a leading slash anchors it to the
// root, a trailing slash means a folder. Negation and ** are not supported.
func readIgnore(fsys fs.FS) (func(name string, dir bool) bool, error) {
	src, err := fs.ReadFile(fsys, ".gitignore")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return func(name string, dir bool) bool {
		for line := range strings.Lines(string(src)) {
			glob, folder := strings.CutSuffix(strings.TrimSpace(line), "/")
			glob, rooted := strings.CutPrefix(glob, "/")
			subject := path.Base(name)
			if rooted {
				subject = name
			}
			// A malformed pattern matches nothing, as in git.
			ok, _ := path.Match(glob, subject)
			if ok && (dir || !folder) && !strings.HasPrefix(line, "#") {
				return true
			}
		}
		return false
	}, nil
}
