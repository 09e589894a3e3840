package render

import (
	"regexp"
	"sort"
	"strings"
	"text/template/parse"

	"golang.org/x/net/html"
)

// Marks for the parts of a template that are not text: a value, a path of the shop, and the edges
// of a branch. Edges split words, so a name assembled by branches is not a name.
const (
	anyValue    = "\ue000"
	shopPath    = "\ue005"
	postPath    = "\ue006" // the only path of the shop to which forms may post
	branchBegin = " \ue001 "
	branchElse  = " \ue002 "
	branchEnd   = " \ue003 "
	loopBegin   = " \ue004 "
)

// values are the marks of values, and marks are all of them.
const (
	values = anyValue + shopPath + postPath
	marks  = values + "\ue001\ue002\ue003\ue004"
)

var (
	unmarked = strings.NewReplacer(anyValue, " ", shopPath, " ", postPath, " ", "\ue001", " ", "\ue002", " ",
		"\ue003", " ", "\ue004", " ")
	edges = strings.NewReplacer("\ue001", "", "\ue002", "", "\ue003", "", "\ue004", "")
)

// elements and attributes are what a page may contain: whatever displays something, and what a
// shop's forms need. Anything else is refused.
var (
	elements = wordSet(`a abbr address article aside audio b bdi bdo blockquote body br button caption circle cite
		clippath code col colgroup data datalist dd defs del desc details dfn dialog div dl dt ellipse em fieldset
		figcaption figure footer form g h1 h2 h3 h4 h5 h6 head header hgroup hr html i img input ins kbd label legend
		li line lineargradient link main mark mask menu meta meter nav noscript ol optgroup option output p path
		pattern picture polygon polyline pre progress q radialgradient rect rp rt ruby s samp search section select
		small source span stop strong sub summary sup svg symbol table tbody td text textarea tfoot th thead time
		title tr track tspan u ul use var video wbr`)
	attributes = wordSet(`abbr accept accept-charset alt as autocapitalize autocomplete autofocus autoplay charset checked
		cite class clip-path clip-rule color cols colspan content controls crossorigin cx cy d datetime decoding default
		dir disabled dominant-baseline download draggable enctype enterkeyhint fetchpriority fill fill-opacity fill-rule
		focusable font-family font-size font-weight for form gradienttransform gradientunits headers height hidden high
		href hreflang id imagesizes imagesrcset inert inputmode integrity ismap itemid itemprop itemref itemscope
		itemtype kind label lang list loading loop low mask max maxlength media method min minlength multiple muted name
		novalidate offset opacity open optimum pattern patternunits placeholder playsinline points popover popovertarget
		popovertargetaction poster prefix preload preserveaspectratio property r readonly rel required reversed role
		rows rowspan rx ry scope selected shape-rendering size sizes span spellcheck src srclang srcset start step
		stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
		stroke-miterlimit stroke-opacity stroke-width tabindex target text-anchor title transform translate type usemap
		value vector-effect version viewbox width wrap x x1 x2 xlink:href xml:lang xmlns xmlns:xlink y y1 y2 action`)
	addresses = wordSet("action cite href imagesrcset poster src srcset xlink:href")
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// joined is the text of a template with marks in place of its actions, and where each of its nodes
// begins.
type joined struct {
	strings.Builder
	nodes  []parse.Node
	starts []int
}

func (j *joined) mark(n parse.Node, text string) {
	j.nodes, j.starts = append(j.nodes, n), append(j.starts, j.Len())
	j.WriteString(text)
}

func (j *joined) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			j.mark(n, unmarked.Replace(string(n.Text)))
		case *parse.ActionNode:
			j.action(n)
		case *parse.TemplateNode:
			j.mark(n, anyValue)
		case *parse.IfNode:
			j.branch(&n.BranchNode, branchBegin)
		case *parse.WithNode:
			j.branch(&n.BranchNode, branchBegin)
		case *parse.RangeNode:
			j.branch(&n.BranchNode, loopBegin)
		}
	}
}

// action writes what an action shows: a literal text, a value, or nothing if it sets a variable.
func (j *joined) action(n *parse.ActionNode) {
	if len(n.Pipe.Decl) > 0 {
		return
	}
	text := anyValue
	if len(n.Pipe.Cmds) == 1 && len(n.Pipe.Cmds[0].Args) == 1 {
		switch arg := n.Pipe.Cmds[0].Args[0].(type) {
		case *parse.StringNode:
			text = unmarked.Replace(arg.Text)
		case *parse.FieldNode:
			text = shown(arg.Ident)
		case *parse.VariableNode:
			text = shown(arg.Ident)
		case *parse.ChainNode:
			text = shown(arg.Field)
		}
	}
	j.mark(n, text)
}

// shown returns the mark of a datum: a path of the shop, or any other value. Only data under these
// names are paths; templates cannot create any.
func shown(names []string) string {
	switch names[len(names)-1] {
	case "url", "search_url", "cart_url", "account_url":
		return shopPath
	case "add_url":
		return postPath
	}
	return anyValue
}

func (j *joined) branch(b *parse.BranchNode, begin string) {
	j.mark(b, begin)
	j.list(b.List)
	j.mark(b, branchElse)
	j.list(b.ElseList)
	j.mark(b, branchEnd)
}

func (j *joined) node(offset int) int { return sort.SearchInts(j.starts, offset+1) - 1 }

// tokens checks the elements, attributes and addresses of a template.
func tokens(t *parse.Tree) Errors {
	var j joined
	j.list(t.Root)
	if j.Len() == 0 {
		return nil
	}
	var errs Errors
	eachTag(j.String(), postPath, func(offset int, wrong string) {
		if len(errs) < maxErrors {
			i := j.node(offset)
			e := at(t, j.nodes[i], wrong)
			e.Line += strings.Count(j.String()[j.starts[i]:offset], "\n")
			errs = append(errs, e)
		}
	})
	return errs
}

// checkRendered checks the elements and attributes of a rendered page, which shows what several
// templates assemble.
func checkRendered(page, text string) (err error) {
	eachTag(unmarked.Replace(text), sampleAdd, func(_ int, wrong string) {
		if err == nil {
			err = &Error{Template: pathOf(page), Detail: "the rendered page is refused: " + wrong}
		}
	})
	return err
}

// eachTag reports the errors in the tags of a text. Forms may post to one address only.
func eachTag(text, post string, report func(offset int, wrong string)) {
	z := html.NewTokenizer(strings.NewReader(text))
	for offset := 0; ; offset += len(z.Raw()) {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := offset
			name, more := z.TagName()
			switch tag := string(name); {
			case strings.ContainsAny(tag, values):
				report(raw, misplaced)
			case !elements[tag]:
				report(raw, "templates must not contain <"+cut(tag, 40)+">; only known elements are allowed")
			}
			var f posting
			for more {
				var key, val []byte
				key, val, more = z.TagAttr()
				f.see(string(key), string(val), post)
				if wrong := attribute(string(key), string(val)); wrong != "" {
					report(raw, wrong)
				}
			}
			if f.wrong() {
				report(raw, "a form with method=\"post\" may only be sent to {{.shop.add_url}}")
			}
		}
	}
}

// posting is what the attributes of a tag say about a form that posts: such a form acts in the name
// of the visitor who sends it.
type posting struct{ posts, there, astray bool }

// see reads an attribute. A method that depends on a value or a branch may be a post.
func (f *posting) see(name, val, post string) {
	switch strings.TrimSpace(edges.Replace(name)) {
	case "method":
		switch strings.ToLower(val) {
		case "", "get", "dialog":
		default:
			f.posts = true
		}
	case "action":
		f.there, f.astray = true, f.astray || val != post
	}
}

// wrong reports whether the form may post to another address.
func (f *posting) wrong() bool { return f.posts && (!f.there || f.astray) }

func attribute(name, val string) string {
	name = strings.TrimSpace(edges.Replace(name))
	switch {
	case strings.ContainsAny(name, values):
		return misplaced
	case name == "" || strings.HasPrefix(name, "data-") || strings.HasPrefix(name, "aria-"):
		return ""
	case !attributes[name]:
		return "templates must not contain the attribute " + cut(name, 40) +
			"; only known attributes are allowed"
	case name == "action" && (elsewhere.MatchString(val) || strings.HasPrefix(val, anyValue)):
		return "a form must be sent to the shop: its action must be a path"
	case !addresses[name]:
		return ""
	}
	list := []string{val}
	if strings.HasSuffix(name, "srcset") {
		list = strings.Split(val, ",")
	}
	for _, address := range list {
		if !staysOnShop(strings.TrimSpace(address)) {
			return "a value cannot be part of an address on another host: start with a path of the shop, or with " +
				"a single value"
		}
	}
	return ""
}

var (
	// elsewhere matches an address with a host or a scheme.
	elsewhere = regexp.MustCompile(`^[\x00-\x20]*([a-zA-Z][a-zA-Z0-9+.\-]*:|[/\\]{2})`)
	// onShop matches the beginning of an address that stays on the shop, whatever follows: two
	// slashes would begin a host, and the path of the shop may be one.
	onShop = regexp.MustCompile(`^([?#]|[/` + shopPath + `][^/\\\s` + anyValue + shopPath + `])`)
)

// isSingleValue reports whether an address is one value followed only by constants.
func isSingleValue(address string) bool {
	rest, ok := strings.CutPrefix(address, anyValue)
	return ok && !strings.ContainsAny(rest, marks)
}

// staysOnShop reports whether no value in an address can lead to another host: the address has none,
// begins with a path of the shop, is one value, or is a choice of these.
func staysOnShop(address string) bool {
	if !strings.Contains(address, anyValue) || onShop.MatchString(address) || isSingleValue(address) {
		return true
	}
	inner, ok := strings.CutPrefix(address, strings.TrimSpace(branchBegin))
	if !ok {
		return false
	}
	inner, ok = strings.CutSuffix(inner, strings.TrimSpace(branchEnd))
	if !ok || strings.ContainsAny(inner, "\ue001\ue003\ue004") {
		return false
	}
	for choice := range strings.SplitSeq(inner, strings.TrimSpace(branchElse)) {
		if !staysOnShop(strings.TrimSpace(choice)) {
			return false
		}
	}
	return true
}
