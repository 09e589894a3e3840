package render

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
)

const (
	maxNumber = 1_000_000 // the largest literal
	maxNodes  = 100       // values and calls in one action
)

// checker walks one template. It refuses whatever it does not know.
type checker struct {
	tree  *parse.Tree
	asset func(string) (string, bool)
	nodes int // values and calls in the current action
	errs  Errors
}

// check checks the nodes and the text of every template.
func (s *source) check(asset func(string) (string, bool)) Errors {
	var errs Errors
	s.all(func(t *parse.Tree) {
		c := &checker{tree: t, asset: asset}
		c.list(t.Root)
		errs = append(errs, c.errs...)
		found := markup(t)
		if len(found) == 0 {
			found = tokens(t)
		}
		errs = append(errs, found...)
	})
	return errs
}

func (c *checker) fail(n parse.Node, detail string) { c.errs = append(c.errs, at(c.tree, n, detail)) }

func (c *checker) list(l *parse.ListNode) {
	if l == nil || len(c.errs) >= maxErrors {
		return
	}
	for _, n := range l.Nodes {
		c.nodes = 0
		c.node(n)
	}
}

func (c *checker) node(n parse.Node) {
	switch n := n.(type) {
	case *parse.TextNode, *parse.BreakNode, *parse.ContinueNode, *parse.CommentNode:
	case *parse.ActionNode:
		c.pipe(n.Pipe)
	case *parse.TemplateNode:
		c.pipe(n.Pipe)
	case *parse.IfNode:
		c.branch(&n.BranchNode)
	case *parse.WithNode:
		c.branch(&n.BranchNode)
	case *parse.RangeNode:
		c.ranged(n)
		c.branch(&n.BranchNode)
	default:
		c.fail(n, "this kind of action is not allowed")
	}
}

func (c *checker) branch(b *parse.BranchNode) {
	c.pipe(b.Pipe)
	c.list(b.List)
	c.list(b.ElseList)
}

// ranged returns an error for a range over a literal. _list checks the values at run time.
func (c *checker) ranged(r *parse.RangeNode) {
	switch last := r.Pipe.Cmds[len(r.Pipe.Cmds)-1].Args[0].(type) {
	case *parse.NumberNode, *parse.StringNode, *parse.BoolNode, *parse.NilNode:
		c.fail(last, "range requires a list, and this is not a list")
	}
}

func (c *checker) pipe(p *parse.PipeNode) {
	if p == nil {
		return
	}
	for i, cmd := range p.Cmds {
		c.command(cmd, i > 0)
	}
}

// command checks one call or value. piped says that the previous command passes its result.
func (c *checker) command(cmd *parse.CommandNode, piped bool) {
	first := cmd.Args[0]
	if name, ok := first.(*parse.IdentifierNode); ok {
		c.call(name, cmd, piped)
	} else {
		if piped || len(cmd.Args) > 1 {
			c.fail(first, "only functions take arguments")
		}
		c.value(first)
	}
	for _, arg := range cmd.Args[1:] {
		if name, ok := arg.(*parse.IdentifierNode); ok {
			c.fail(arg, "the function "+name.Ident+" requires arguments; put the call in parentheses")
			continue
		}
		c.value(arg)
	}
}

func (c *checker) call(name *parse.IdentifierNode, cmd *parse.CommandNode, piped bool) {
	c.count(name)
	f, ok := functions[name.Ident]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(functions)), ", ")
		c.fail(name, "unknown function "+cut(name.Ident, 40)+"; known functions are "+known)
		return
	}
	given := len(cmd.Args) - 1
	if piped {
		given++
	}
	if given < f.least || given > f.most {
		c.fail(name, "the function "+name.Ident+" has the wrong number of arguments")
		return
	}
	if name.Ident == "asset" {
		c.assetCall(name, cmd)
	}
}

// assetCall replaces a call of asset by the address.
func (c *checker) assetCall(name *parse.IdentifierNode, cmd *parse.CommandNode) {
	path, ok := cmd.Args[len(cmd.Args)-1].(*parse.StringNode)
	if !ok {
		c.fail(name, `asset takes a path written out, such as asset "assets/style.css"`)
		return
	}
	url, ok := c.asset(path.Text)
	if !ok {
		c.fail(name, "the theme has no asset "+strconv.Quote(cut(path.Text, 100)))
		return
	}
	path.Text = url
	cmd.Args = []parse.Node{path}
}

func (c *checker) value(n parse.Node) {
	c.count(n)
	switch n := n.(type) {
	case *parse.DotNode, *parse.FieldNode, *parse.VariableNode, *parse.StringNode, *parse.BoolNode, *parse.NilNode:
	case *parse.NumberNode:
		c.number(n)
	case *parse.PipeNode:
		c.inner(n)
	case *parse.ChainNode:
		c.value(n.Node)
	default:
		c.fail(n, "this kind of value is not allowed")
	}
}

func (c *checker) inner(p *parse.PipeNode) {
	if len(p.Decl) > 0 {
		c.fail(p, "a variable cannot be assigned in parentheses")
	}
	c.pipe(p)
}

// number allows plain numbers that fit a float64.
func (c *checker) number(n *parse.NumberNode) {
	switch {
	case strings.HasPrefix(n.Text, "'"), !n.IsFloat:
		c.fail(n, "this is not a plain number")
	case n.Float64 > maxNumber, n.Float64 < -maxNumber:
		c.fail(n, "the number is greater than 1,000,000")
	}
}

// count bounds the values that one action has at a time.
func (c *checker) count(n parse.Node) {
	if c.nodes++; c.nodes == maxNodes+1 {
		c.fail(n, "an action has more than 100 values and calls")
	}
}
