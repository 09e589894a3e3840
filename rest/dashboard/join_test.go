package dashboard

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// of returns a source with an entry, a home page and other files.
func of(files map[string]string) *source {
	s := &source{files: map[string][]byte{entryName: nil, homeName: nil}}
	for name, text := range files {
		s.files[name] = []byte(text)
	}
	return s
}

func TestJoin(t *testing.T) {
	s := of(map[string]string{
		entryName: "import { go as move, Gone } from './place.js';\nimport lib from './vendor/lib.module.js';\n" +
			"import('./pages/home.js');\nimport('./pages/other.js');\nmove(lib);\n",
		"place.js": "export { word } from './word.js';\nexport class Gone {}\nexport async function go() {}\n" +
			"const a = 1;\nexport const b = import.meta.url;\nexport { a, b as c };\n// import it\nconst s = ' export ';\n",
		"word.js":              "export const word = 'export';",
		"vendor/lib.module.js": "var t=1;export default function(){}\n//# sourceMappingURL=lib.module.js.map\n",
		"vendor/min.module.js": "import{word as w}from\"../word.js\";function f(){}export{f as run,w};",
		homeName:               "import { run } from '../vendor/min.module.js';\nexport function Home() { run(); }\n",
		"pages/other.js": "import { go, word as w } from '../place.js';\nimport { x } from '../x.js';\n" +
			"import { b } from '../place.js';\nimport * as all from '../x.js';\nexport { x };\nexport const Other = go;\n",
		"x.js":   "import { word } from './word.js';\nexport const x = word;\n",
		plotName: "export of nothing",
	})
	if err := s.join(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		entryName: `const $word = (() => {
const word = 'export';
return { word };
})();

const $vendor_min_module = (() => {
const { word: w } = $word;function f(){}
return { run: f, w };
})();

const $pages_home = (() => {
const { run } = $vendor_min_module;
function Home() { run(); }
return { Home };
})();

const $place = (() => {
class Gone {}
async function go() {}
const a = 1;
const b = import.meta.url;

// import it
const s = ' export ';
return { word: $word.word, a, c: b, Gone, go, b };
})();

const $vendor_lib_module = (() => {
var t=1;const $default=function(){}
return { default: $default };
})();

const $app = (() => {
const { go: move, Gone } = $place;
const lib = $vendor_lib_module.default;
Promise.resolve($pages_home);
import('./pages/other.js');
move(lib);
return {  };
})();

export { $word, $vendor_min_module, $pages_home, $place, $vendor_lib_module };
`,
		"pages/other.js": "import { $place } from '../app.js'; const { go, word: w } = $place;\n" +
			"import { x } from '../x.js';\nconst { b } = $place;\n" +
			"import * as all from '../x.js';\nexport { x };\nexport const Other = go;\n",
		"x.js":   "import { $word } from './app.js'; const { word } = $word;\nexport const x = word;\n",
		plotName: "export of nothing",
	}
	got := map[string]string{}
	for name, content := range s.files {
		got[name] = string(content)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Unknown forms are refused, never served with another meaning.
func TestJoinRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ file, text string }{
		"an import for its effect":      {"a.js", "import './b.js';"},
		"an import of all":              {"a.js", "import * as b from './b.js';"},
		"a default beside names":        {"a.js", "import b, { c } from './b.js';"},
		"an import that is not at home": {"a.js", "  import { b } from './b.js';"},
		"a variable":                    {"a.js", "export let b = 1;"},
		"an export of all":              {"a.js", "export * from './b.js';"},
		"a default of ours":             {"a.js", "export default class {}"},
		"a generator":                   {"a.js", "export function* b() {}"},
		"an address elsewhere":          {homeName, "import.meta.url;"},
		"an import later elsewhere":     {homeName, "import('./x.js');"},
		"a cycle":                       {"b.js", "import { a } from './a.js';"},
		"beside: an import of all":      {"x.js", "import * as b from './b.js';"},
		"beside: a default":             {"x.js", "import b from './b.js';"},
		"beside: handed on":             {"x.js", "export { b } from './b.js';"},
		"beside: later":                 {"x.js", "import('./b.js');"},
		"beside: for its effect":        {"x.js", "import './b.js';"},
	} {
		t.Run(name, func(t *testing.T) {
			s := of(map[string]string{entryName: "import { a } from './a.js';\n",
				"a.js": "import { b } from './b.js';\n", "b.js": "", "x.js": ""})
			s.files[tc.file] = append(s.files[tc.file], tc.text+"\n"...)
			if err := s.join(); err == nil {
				t.Errorf("joined:\n%s\n%s", s.files[entryName], s.files["x.js"])
			}
		})
	}
}

// No file imports what is no longer served.
func TestJoined(t *testing.T) {
	s := loaded(t)
	for name := range s.files {
		if path.Ext(name) != ".js" || name == plotName {
			continue
		}
		below, err := s.order(name)
		if err != nil {
			t.Error(err)
		}
		if name != entryName && len(below) < 2 && strings.HasPrefix(name, "pages/") {
			t.Errorf("%s needs nothing", name)
		}
		for _, later := range s.later(name) {
			if s.files[later] == nil {
				t.Errorf("%s asks for %s, which is not served", name, later)
			}
		}
	}
}
