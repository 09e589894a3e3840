package state

import "slices"

// PictureState is the state of the copy of a product's image.
type PictureState string

// The values of [PictureState].
const (
	PictureFetching PictureState = "fetching"
	PictureKept     PictureState = "kept"
	PictureRefused  PictureState = "refused"
)

var allPictureState = []PictureState{PictureFetching, PictureKept, PictureRefused}

// Known reports whether v is a value of the enumeration.
func (v PictureState) Known() bool { return slices.Contains(allPictureState, v) }
