package graph

// given is a member of an update input: left out, null or a value.
type given[T any] interface{ ValueOK() (T, bool) }

// memberOf changes one member of an entity that cannot be null, when it is given
// and differs: in the entity in hand, in the update, and in the list of what
// changed.
func memberOf[T comparable, U any](changed *[]string, v given[*T], name string, dst *T, write func(T) U) {
	if next, ok := v.ValueOK(); ok && next != nil && *next != *dst {
		*dst = *next
		write(*next)
		*changed = append(*changed, name)
	}
}

// memberOpt is [memberOf] for one that may be null.
func memberOpt[T comparable, U any](changed *[]string, v given[*T], name string, dst **T, write func(T) U, empty func() U) {
	next, ok := v.ValueOK()
	switch {
	case !ok || next == nil && *dst == nil || next != nil && *dst != nil && *next == **dst:
		return
	case next == nil:
		empty()
	default:
		write(*next)
	}
	*dst = next
	*changed = append(*changed, name)
}

// memberDoc is [memberOf] for a document; an absent one is empty.
func memberDoc[D ~[]byte, U any](changed *[]string, next D, given bool, name string, dst *D, write func(D) U, empty func() U) {
	switch {
	case !given || string(next) == string(*dst):
		return
	case len(next) == 0:
		empty()
	default:
		write(next)
	}
	*dst = next
	*changed = append(*changed, name)
}
