package theme

// maxExpanded is how many elements an image may have if each use of a part counts as the part
// itself.
const maxExpanded = 100_000

// references computes how much there is to draw. A part that uses another ten times, which uses the
// next one ten times, and so on, takes only a few lines but never finishes drawing.
type references struct {
	marks map[string]*mark
	stack []*mark // the open elements
	root  *mark
	uses  int
}

// mark is an element: how many elements it contains, including itself, and which others these use.
type mark struct {
	elements int
	uses     []string
	state    int
	total    int
}

const (
	fresh = iota
	counting
	counted
)

// maxUses is how many references an image may have. Each is stored for all elements around it.
const maxUses = 10_000

func (r *references) enter() {
	m := &mark{}
	r.stack = append(r.stack, m)
	if r.root == nil {
		r.root = m
	}
	for _, around := range r.stack {
		around.elements++
	}
}

func (r *references) leave() { r.stack = r.stack[:len(r.stack)-1] }

// name gives the innermost element an id. As in browsers, the first of two equal ids counts.
func (r *references) name(id string) {
	if r.marks[id] == nil {
		r.marks[id] = r.stack[len(r.stack)-1]
	}
}

// refer records that the innermost element uses another one.
func (r *references) refer(id string) {
	if r.uses++; r.uses > maxUses {
		return
	}
	for _, around := range r.stack {
		around.uses = append(around.uses, id)
	}
}

func (r *references) endless() bool {
	return r.root.elements > maxExpanded || r.uses > maxUses || r.count(r.root, 0) > maxExpanded
}

func (r *references) count(m *mark, depth int) int {
	switch {
	case m.state == counted:
		return m.total
	case m.state == counting, depth > maxNesting:
		return maxExpanded + 1 // a cycle, or too deep to follow
	}
	m.state, m.total = counting, m.elements
	for _, id := range m.uses {
		if used := r.marks[id]; used != nil && m.total <= maxExpanded {
			m.total += r.count(used, depth+1)
		}
	}
	m.state = counted
	return m.total
}
