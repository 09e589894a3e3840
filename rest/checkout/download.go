package checkout

import (
	"encoding/hex"
	"errors"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/storefront-go/storefront/ent/fault"
	"github.com/storefront-go/storefront/ent/micros"
	"github.com/storefront-go/storefront/ent/xid"
	"github.com/storefront-go/storefront/graph/domain/sales"
	"github.com/storefront-go/storefront/graph/domain/storefront"
	"github.com/storefront-go/storefront/graph/lib/link"
	"github.com/storefront-go/storefront/graph/lib/phrase"
	"github.com/storefront-go/storefront/rest/variant"
)

// Link is the file of a line on the page of an order.
type Link struct {
	// URL is "" if no downloads are left.
	Title, URL, Left string
}

// downloads returns the files that the page of an order offers: none after the store has closed.
func (v *visit) downloads(o *storefront.ShopperOrder) (list []Link) {
	for _, d := range o.Downloads {
		if d.Allowed == 0 || !v.shop.Open {
			continue
		}
		l := Link{Title: d.Line.Title + " – " + d.File.Filename,
			Left: v.texts.Say(phrase.DownloadsLeft, strconv.FormatInt(d.Left(), 10))}
		if d.Left() > 0 {
			l.URL = sales.DownloadPath(v.Links, o.Order, d.Line.ID)
		}
		list = append(list, l)
	}
	return list
}

// download is GET /orders/files/{line}, a signed link, which everyone who has it can use.
func (v *visit) download(line string) {
	h := v.w.Header()
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "private, no-store")
	params, err := v.Links.Verify(v.r.URL.EscapedPath(), v.r.URL.RawQuery, micros.Now())
	if errors.Is(err, link.ErrExpired) {
		v.message(http.StatusGone, phrase.DownloadOver, phrase.DownloadOverText)
		return
	}
	id, wrongLine := xid.OrderLine.Parse(line)
	order, wrongOrder := xid.Order.Parse(params["order"])
	if err != nil || wrongLine != nil || wrongOrder != nil || params["store"] != xid.Store.Format(v.store) ||
		!v.shop.Open {
		v.missing()
		return
	}
	f, err := v.Core.Download(v.ctx, order, id, fetchOf(v.r))
	if refused, ok := errors.AsType[*fault.Error](err); ok && refused.Kind == fault.Conflict {
		v.message(http.StatusForbidden, phrase.DownloadOver, phrase.DownloadsUsed)
		return
	}
	if err != nil {
		v.failed(err)
		return
	}
	content, err := v.Core.OpenFile(v.ctx, f)
	if err != nil {
		v.failed(err)
		return
	}
	defer func() { _ = content.Close() }() // nothing was written
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Filename}))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Etag", `"`+hex.EncodeToString(f.ObjectID[:])+`"`)
	variant.Content(&slow{v.w, http.NewResponseController(v.w)}, v.r, content)
}

// later is the Range header of a request for a part that does not begin with the first byte.
var later = regexp.MustCompile(`^bytes=0*[1-9][0-9]*-[0-9]*$`)

// fetchOf returns how a request counts. What may be the whole file does.
func fetchOf(r *http.Request) storefront.Fetch {
	switch asked := strings.Join(r.Header.Values("Range"), ","); {
	case r.Method == http.MethodHead:
		return storefront.FetchNothing
	case later.MatchString(asked):
		return storefront.FetchRest
	}
	return storefront.FetchWhole
}

// stallTime is how long a client may read nothing before it is disconnected. A download as a whole
// may take any time.
const stallTime = time.Minute

// slow extends the deadline of the server while the client reads.
type slow struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Write implements http.ResponseWriter.
func (s *slow) Write(b []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(stallTime)) // a writer without deadlines waits
	return s.ResponseWriter.Write(b)
}
