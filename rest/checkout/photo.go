package checkout

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/limit"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/engine/images"
)

const (
	photoField = "photos"
	// maxPhotos bounds the body of a form with photos, in bytes. Photos of phones are often larger than allowed,
	// and such a form is answered with what the shopper typed.
	maxPhotos = 64 << 20
	// photoTime is how long a form with photos may take to arrive.
	photoTime = 5 * time.Minute
	// photoForms is how many forms a process keeps the photos of at once. Others are answered with what the shopper
	// typed.
	photoForms = 8
)

// photos are the photos of a form.
type photos struct {
	bodies [][]byte
	// wrong says that there are too many photos, or too large ones, and later that the process is busy.
	wrong, later bool
	places       chan struct{}
	has          bool // a place
}

// enter takes a place if there is one.
func (p *photos) enter() bool {
	if p.has || p.later {
		return p.has
	}
	select {
	case p.places <- struct{}{}:
		p.has = true
	default:
		p.later = true
	}
	return p.has
}

// leave gives the place back.
func (p *photos) leave() {
	if p.has {
		p.has = false
		<-p.places
	}
}

// takesPhotos reports whether the page of the request takes photos: the return page of an order, by its token.
func (v *visit) takesPhotos() bool {
	token, ok := strings.CutSuffix(strings.TrimPrefix(v.r.URL.Path, orderRoot), returnSuffix)
	if !ok || !strings.HasPrefix(v.r.URL.Path, orderRoot) {
		return false
	}
	_, ok = v.Links.Order(v.store, token)
	return ok
}

// readPhotos reads a form with files (RFC 7578). The fields precede the files, so that they are known even if
// the files are refused.
func (v *visit) readPhotos() error {
	control := http.NewResponseController(v.w)
	_ = control.SetReadDeadline(time.Now().Add(photoTime)) // a writer without deadlines keeps the server's
	defer func() {
		_ = control.SetReadDeadline(time.Time{})
		_ = control.SetWriteDeadline(time.Now().Add(photoTime))
	}()
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxPhotos)
	form, err := v.r.MultipartReader()
	if err != nil {
		return err
	}
	v.form = url.Values{}
	for left := int64(maxBody); ; {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && part.FileName() == "" && part.FormName() != photoField {
			left, err = v.readField(part, left)
		} else if err == nil {
			err = v.photos.read(part)
		}
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			v.photos.wrong = true
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readField reads a text of the form, and returns how many bytes are left to the others.
func (v *visit) readField(part *multipart.Part, left int64) (int64, error) {
	text, err := io.ReadAll(io.LimitReader(part, left+1))
	if left -= int64(len(text)); err == nil && left < 0 {
		err = multipart.ErrMessageTooLarge
	}
	v.form.Add(part.FormName(), string(text))
	return left, err
}

// read reads a photo. A field without a file has no name.
func (p *photos) read(part *multipart.Part) error {
	if part.FileName() == "" || !p.enter() {
		_, err := io.Copy(io.Discard, part)
		return err
	}
	body, err := io.ReadAll(io.LimitReader(part, limit.PhotoBytes+1))
	switch {
	case err != nil:
		return err
	case len(body) == 0:
		return nil
	case len(body) > limit.PhotoBytes || len(p.bodies) == limit.Photos:
		p.wrong = true
		_, err = io.Copy(io.Discard, part)
		return err
	}
	p.bodies = append(p.bodies, body)
	return nil
}

// label is GET /orders/{token}/labels/{return}: the uploaded label of a return, for the holder of the token.
func (v *visit) label(token, id string) {
	h := v.w.Header()
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "private, no-store")
	order, ok := v.Links.Order(v.store, token)
	of, err := xid.Return.Parse(id)
	if !ok || err != nil {
		v.missing()
		return
	}
	row, body, err := v.Shoppers.ReturnLabel(v.ctx, order, of)
	if err != nil {
		v.failed(err)
		return
	}
	h.Set("Content-Type", row.ContentType)
	h.Set("Content-Disposition", `attachment; filename="`+id+images.Extension(row.ContentType)+`"`)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(body) // the client may be gone
	}
}
