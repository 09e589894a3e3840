package render

import (
	"bytes"
	"strconv"
	"text/template/parse"
)

const (
	budget    = 500_000 // steps of a page
	perRange  = 100     // iterations that a range counts as
	maxCalls  = 20      // templates in a chain of calls
	maxHeld   = 100     // variables in a chain of calls: each may hold a text of maxText
	textBytes = 64      // bytes of text that count as a step
)

// cost is the maximum cost of executing a template, with lists of up to perRange.
type cost struct {
	steps int // of writing and evaluating; at most budget+1
	held  int // variables at a time
	calls int // templates in a chain
}

// estimate computes the cost of templates that call each other.
type estimate struct {
	templates trees
	done      map[*parse.Tree]cost
	open      map[*parse.Tree]bool // templates whose cost is being computed
	err       *Error               // the first error
	above     *parse.Tree          // the innermost template above the budget
}

// checkCost computes the cost of a page and returns an error if it exceeds the limits, else the
// templates that the page calls. page is the path to name.
func checkCost(page string, root *parse.Tree, templates trees) (map[*parse.Tree]cost, error) {
	e := &estimate{templates: templates, done: map[*parse.Tree]cost{}, open: map[*parse.Tree]bool{}}
	total := e.tree(root)
	switch {
	case e.err != nil:
		return nil, e.err
	case total.steps > budget:
		return nil, at(e.above, e.above.Root,
			"the template could take too long: with the templates it calls, it has more than 500,000 steps; each "+
				"range counts as 100 iterations")
	case total.calls > maxCalls:
		return nil, &Error{Template: page, Detail: "templates call each other in a chain of more than 20"}
	case total.held > maxHeld:
		return nil, &Error{Template: page, Detail: "the page sets more than 100 variables"}
	}
	return e.done, nil
}

func (e *estimate) fail(t *parse.Tree, n parse.Node, detail string) {
	if e.err == nil {
		e.err = at(t, n, detail)
	}
}

func (e *estimate) tree(t *parse.Tree) cost {
	if c, ok := e.done[t]; ok {
		return c
	}
	e.open[t] = true
	c := e.list(t, t.Root)
	delete(e.open, t)
	c.calls++
	if c.steps > budget && e.above == nil {
		e.above = t
	}
	e.done[t] = c
	return c
}

// list adds up the nodes of a list. Templates called one after the other do not hold their
// variables at the same time.
func (e *estimate) list(t *parse.Tree, l *parse.ListNode) cost {
	var sum cost
	if l == nil || e.err != nil {
		return sum
	}
	called := 0
	for _, n := range l.Nodes {
		c := e.node(t, n)
		if _, ok := n.(*parse.TemplateNode); ok {
			called = max(called, c.held)
			c.held = 0
		}
		sum = sum.and(c)
	}
	sum.held += called
	return sum
}

// and returns the cost of one after the other, in one scope.
func (c cost) and(d cost) cost {
	return cost{steps: min(c.steps+d.steps, budget+1), held: c.held + d.held, calls: max(c.calls, d.calls)}
}

func (c cost) times(n int) cost {
	c.steps = min(c.steps*n, budget+1)
	return c
}

func (e *estimate) node(t *parse.Tree, n parse.Node) cost {
	switch n := n.(type) {
	case *parse.TextNode:
		return ofText(n)
	case *parse.ActionNode:
		return ofPipe(n.Pipe)
	case *parse.TemplateNode:
		return ofPipe(n.Pipe).and(e.call(t, n))
	case *parse.IfNode:
		return e.branch(t, &n.BranchNode, 1)
	case *parse.WithNode:
		return e.branch(t, &n.BranchNode, 1)
	case *parse.RangeNode:
		return e.branch(t, &n.BranchNode, perRange)
	}
	return cost{steps: 1}
}

func (e *estimate) branch(t *parse.Tree, b *parse.BranchNode, times int) cost {
	body := e.list(t, b.List).and(cost{steps: 1}).times(times)
	return ofPipe(b.Pipe).and(body).and(e.list(t, b.ElseList))
}

func (e *estimate) call(t *parse.Tree, n *parse.TemplateNode) cost {
	callee := e.templates[n.Name]
	switch {
	case callee == nil:
		e.fail(t, n, "there is no template "+strconv.Quote(cut(n.Name, 100)))
	case e.open[callee]:
		e.fail(t, n, "the template "+strconv.Quote(cut(n.Name, 100))+" calls itself, directly or through others")
	default:
		return e.tree(callee)
	}
	return cost{}
}

// ofText returns the cost of text. The time in which html/template escapes it, at compilation,
// grows with the number of "<" times its length.
func ofText(n *parse.TextNode) cost {
	size := len(n.Text)
	return cost{steps: 1 + size/textBytes + bytes.Count(n.Text, []byte("<"))*size/1024}
}

func ofPipe(p *parse.PipeNode) cost {
	c := cost{steps: 1}
	if p == nil {
		return c
	}
	if !p.IsAssign {
		c.held = len(p.Decl)
	}
	for _, cmd := range p.Cmds {
		for _, arg := range cmd.Args {
			c.steps += ofValue(arg)
		}
	}
	return c
}

func ofValue(n parse.Node) int {
	switch n := n.(type) {
	case *parse.IdentifierNode:
		return functions[n.Ident].weight
	case *parse.PipeNode:
		return ofPipe(n).steps
	case *parse.ChainNode:
		return ofValue(n.Node) + len(n.Field)
	case *parse.FieldNode:
		return len(n.Ident)
	case *parse.VariableNode:
		return len(n.Ident)
	}
	return 1
}
