package dashboard

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"
)

// homeName is the page on which most visits begin.
const homeName = "pages/home.js"

// join puts the entry, the home page and every module below them into one file in place of the
// entry: they are needed together, and each would be a request. Each becomes a function that is
// called once, after its imports, and returns the module's exports. The modules of other pages stay
// files and import the joined modules from the entry, so that no module is evaluated twice.
//
// join reads the few forms of imports and exports that the files use, not JavaScript. It refuses
// anything else, at start-up and in every test.
func (s *source) join() error {
	names, err := s.order(homeName, entryName) // the entry imports the page at run time
	if err != nil {
		return err
	}
	j := &joint{joined: map[string]string{}}
	for _, name := range names {
		j.joined[name] = "$" + notWord.ReplaceAllString(strings.TrimSuffix(name, ".js"), "_")
	}
	var b strings.Builder
	for _, name := range names {
		m, err := j.rewrite(name, string(s.files[name]))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "const %s = (() => {\n%s\nreturn { %s };\n})();\n\n",
			j.joined[name], strings.TrimSpace(m.text), strings.Join(m.exports, ", "))
		delete(s.files, name)
	}
	shared := slices.DeleteFunc(names, func(name string) bool { return name == entryName })
	for i, name := range shared {
		shared[i] = j.joined[name]
	}
	fmt.Fprintf(&b, "export { %s };\n", strings.Join(shared, ", "))
	for name, content := range s.files {
		if path.Ext(name) != ".js" || name == plotName {
			continue
		}
		text, err := j.lead(name, string(content))
		if err != nil {
			return err
		}
		s.files[name] = []byte(text)
	}
	s.files[entryName] = []byte(b.String())
	return nil
}

var notWord = regexp.MustCompile(`\W`)

// joint maps the joined modules to the constants that hold their exports.
type joint struct{ joined map[string]string }

type module struct {
	text    string
	exports []string // as members of an object
}

// Forms of imports and exports. Ours begin a line; those of minified modules may follow a semicolon
// or a brace.
var (
	importNames   = regexp.MustCompile(`(?m)^import ?\{([^{}]*)\} ?from ?['"]([^'"]+)['"];`)
	importDefault = regexp.MustCompile(`(?m)^import (\w+) from ['"]([^'"]+)['"];`)
	importAll     = regexp.MustCompile(`(?m)^import \* as \w+ from ['"]([^'"]+)['"];`)
	exportFrom    = regexp.MustCompile(`(?m)^export \{([^{}]*)\} from ['"]([^'"]+)['"];`)
	exportNames   = regexp.MustCompile(`(?m)(^|[;}])export ?\{([^{}]*)\};`)
	exportThis    = regexp.MustCompile(`(?m)^export ((?:async function|function|const|class) (\w+))`)
	exportDefault = regexp.MustCompile(`;export default function\(`)
	importLater   = regexp.MustCompile(`\bimport\('([^']+)'\)`)
	sourceMap     = regexp.MustCompile(`(?m)^//# sourceMappingURL=.*$`)
	unknown       = regexp.MustCompile(`(?m)(?:^[ \t]*|[;}][ \t]*)(?:import|export)\b[^\n]{0,40}`)
)

// rewrite turns a module into the body of a function.
func (j *joint) rewrite(name, text string) (module, error) {
	var m module
	var errs []error
	export := func(as, value string) {
		if as == value {
			m.exports = append(m.exports, as)
			return
		}
		m.exports = append(m.exports, as+": "+value)
	}
	of := func(address string) string {
		constant, ok := j.joined[path.Join(path.Dir(name), address)]
		if !ok {
			errs = append(errs, fmt.Errorf("%s is not joined", address))
		}
		return constant
	}
	text = replace(importNames, text, func(g []string) string {
		return "const { " + members(g[1]) + " } = " + of(g[2]) + ";"
	})
	text = replace(importDefault, text, func(g []string) string {
		return "const " + g[1] + " = " + of(g[2]) + ".default;"
	})
	text = replace(exportFrom, text, func(g []string) string {
		for own, as := range pairs(g[1]) {
			export(as, of(g[2])+"."+own)
		}
		return ""
	})
	text = replace(exportNames, text, func(g []string) string {
		for own, as := range pairs(g[2]) {
			export(as, own)
		}
		return g[1]
	})
	text = replace(exportThis, text, func(g []string) string {
		export(g[2], g[2])
		return g[1]
	})
	text = replace(exportDefault, text, func([]string) string {
		export("default", "$default")
		return ";const $default=function("
	})
	text = replace(importLater, text, func(g []string) string {
		if constant, ok := j.joined[path.Join(path.Dir(name), g[1])]; ok {
			return "Promise.resolve(" + constant + ")"
		}
		if path.Dir(name) != "." {
			errs = append(errs, errors.New("imports from the place of another file"))
		}
		return g[0]
	})
	if strings.Contains(text, "import.meta") && path.Dir(name) != "." {
		errs = append(errs, errors.New("asks for its own address, which the bundled file does not have"))
	}
	m.text = sourceMap.ReplaceAllString(text, "")
	return m, refused(name, m.text, errs...)
}

// lead rewrites a module that is not joined so that it imports joined modules from the entry.
func (j *joint) lead(name, text string) (string, error) {
	var errs []error
	entry := strings.Repeat("../", strings.Count(name, "/"))
	entry = cmp.Or(entry, "./") + entryName
	left := text // what remains after removing the known forms
	led := map[string]bool{}
	text = replace(importNames, text, func(g []string) string {
		left = strings.Replace(left, g[0], "", 1)
		constant, ok := j.joined[path.Join(path.Dir(name), g[2])]
		if !ok {
			return g[0]
		}
		taken := fmt.Sprintf("const { %s } = %s;", members(g[1]), constant)
		if led[constant] {
			return taken
		}
		led[constant] = true
		return fmt.Sprintf("import { %s } from '%s'; %s", constant, entry, taken)
	})
	for _, other := range []*regexp.Regexp{importDefault, importAll, exportFrom, importLater} {
		for _, g := range other.FindAllStringSubmatch(text, -1) {
			address := g[len(g)-1]
			if _, ok := j.joined[path.Join(path.Dir(name), address)]; ok {
				errs = append(errs, fmt.Errorf("%q of a bundled module", g[0]))
			}
		}
	}
	for _, form := range []*regexp.Regexp{importDefault, importAll, exportFrom, exportNames, exportThis} {
		left = form.ReplaceAllString(left, "")
	}
	return text, refused(name, left, errs...)
}

// refused returns the error of a module with imports or exports in an unknown form.
func refused(name, left string, errs ...error) error {
	for _, found := range unknown.FindAllString(left, -1) {
		found = strings.TrimLeft(found, ";} \t")
		if !strings.HasPrefix(found, "import(") && !strings.HasPrefix(found, "import.meta") {
			errs = append(errs, fmt.Errorf("%q has a form that cannot be bundled", found))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("dashboard: join %s: %w", name, err)
	}
	return nil
}

func replace(form *regexp.Regexp, text string, with func(groups []string) string) string {
	return form.ReplaceAllStringFunc(text, func(found string) string {
		return with(form.FindStringSubmatch(found))
	})
}

// pairs iterates over "a, b as c": each name and its alias.
func pairs(list string) iter.Seq2[string, string] {
	return func(yield func(own, as string) bool) {
		for item := range strings.SplitSeq(list, ",") {
			own, as, renamed := strings.Cut(strings.TrimSpace(item), " as ")
			if !renamed {
				as = own
			}
			if own != "" && !yield(own, as) {
				return
			}
		}
	}
}

func members(list string) string {
	var out []string
	for own, as := range pairs(list) {
		if own != as {
			own += ": " + as
		}
		out = append(out, own)
	}
	return strings.Join(out, ", ")
}
