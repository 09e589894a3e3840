package render

import (
	"html/template"
	"text/template/parse"
)

func (s *source) page(name string) (*template.Template, error) {
	templates, err := s.visible(name)
	if err != nil {
		return nil, err
	}
	called, err := checkCost(pathOf(name), s.root, templates)
	if err != nil {
		return nil, err
	}
	if !calls(s.root, templates, content) {
		return nil, &Error{Template: layoutPath,
			Detail: `the layout does not show the page: {{template "content" .}} is missing`}
	}
	t := template.New(layoutPath).Funcs(funcMap())
	root := metered(s.root)
	root.Root.Nodes = append([]parse.Node{step(root.Root)}, root.Root.Nodes...) // where escape stops
	if t, err = t.AddParseTree(layoutPath, root); err != nil {
		return nil, err
	}
	for name, tree := range templates {
		if _, ok := called[tree]; !ok {
			continue
		}
		if _, err := t.AddParseTree(name, metered(tree)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// metered returns a copy of a template in which every action, iteration and branch writes, which
// the meter counts, ranges iterate over lists only, and actions show text only.
func metered(t *parse.Tree) *parse.Tree {
	c := t.Copy()
	meterList(t, c.Root)
	return c
}

func meterList(t *parse.Tree, l *parse.ListNode) {
	if l == nil {
		return
	}
	nodes := make([]parse.Node, 0, len(l.Nodes)+4)
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				end(t, n.Pipe, showName) // and writes it
			} else {
				nodes = append(nodes, step(n))
			}
		case *parse.IfNode:
			nodes = append(nodes, step(n))
			meterBranch(t, &n.BranchNode)
		case *parse.WithNode:
			nodes = append(nodes, step(n))
			meterBranch(t, &n.BranchNode)
		case *parse.RangeNode:
			nodes = append(nodes, step(n))
			end(t, n.Pipe, listName)
			meterBranch(t, &n.BranchNode)
			n.List.Nodes = append([]parse.Node{step(n)}, n.List.Nodes...)
		case *parse.TemplateNode:
			nodes = append(nodes, step(n))
		}
		nodes = append(nodes, n)
	}
	l.Nodes = nodes
}

func meterBranch(t *parse.Tree, b *parse.BranchNode) {
	meterList(t, b.List)
	meterList(t, b.ElseList)
}

// step returns empty text, whose write the meter counts.
func step(n parse.Node) parse.Node {
	return &parse.TextNode{NodeType: parse.NodeText, Pos: n.Position()}
}

func end(t *parse.Tree, p *parse.PipeNode, name string) {
	f := parse.NewIdentifier(name).SetPos(p.Pos).SetTree(t)
	p.Cmds = append(p.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: p.Pos, Args: []parse.Node{f}})
}

// each calls f for every node of a list that is not part of a pipeline.
func each(l *parse.ListNode, f func(parse.Node)) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		f(n)
		switch n := n.(type) {
		case *parse.IfNode:
			each(n.List, f)
			each(n.ElseList, f)
		case *parse.WithNode:
			each(n.List, f)
			each(n.ElseList, f)
		case *parse.RangeNode:
			each(n.List, f)
			each(n.ElseList, f)
		}
	}
}

// calls reports whether a template calls another, directly or indirectly. Recursion has been
// refused before.
func calls(t *parse.Tree, templates trees, name string) bool {
	found := false
	seen := map[string]bool{}
	var walk func(*parse.Tree)
	walk = func(t *parse.Tree) {
		each(t.Root, func(n parse.Node) {
			call, ok := n.(*parse.TemplateNode)
			if !ok || seen[call.Name] {
				return
			}
			seen[call.Name] = true
			found = found || call.Name == name
			walk(templates[call.Name])
		})
	}
	walk(t)
	return found
}
