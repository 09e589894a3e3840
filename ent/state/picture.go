package state

// PictureState is the state of the copy of a product's image.
type PictureState string

// The values of [PictureState].
const (
	PictureFetching PictureState = "fetching"
	PictureKept     PictureState = "kept"
	PictureRefused  PictureState = "refused"
)
