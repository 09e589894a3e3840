package layout

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// ignore is the part of .gitignore that this repository uses: one pattern per line, a leading slash
// anchors it to the root, a trailing slash means a folder. Negation and ** are not supported.
type ignore []pattern

type pattern struct {
	glob   string
	rooted bool
	folder bool
}

func readIgnore(fsys fs.FS) (ignore, error) {
	src, err := fs.ReadFile(fsys, ".gitignore")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list ignore
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		glob, folder := strings.CutSuffix(line, "/")
		glob, rooted := strings.CutPrefix(glob, "/")
		list = append(list, pattern{glob: glob, rooted: rooted, folder: folder})
	}
	return list, nil
}

func (list ignore) match(name string, dir bool) bool {
	for _, p := range list {
		subject := path.Base(name)
		if p.rooted {
			subject = name
		}
		// A malformed pattern matches nothing, as in git.
		if ok, _ := path.Match(p.glob, subject); ok && (dir || !p.folder) {
			return true
		}
	}
	return false
}
