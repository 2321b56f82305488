package inspect

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/jpeg" // of the two that a thumbnail may be
	_ "image/png"
	"io"
	"net/http"
	"strings"

	"warcorder/store"
)

// thumbnailOf is how the URI of a picture of a page begins.
const thumbnailOf = "urn:thumbnail:"

// The bounds of a thumbnail, which who imports a file or hands in a record may choose: ours have 640
// pixels a line, and some 50 KiB.
const (
	mostThumbnail = 2 << 20 // bytes
	mostSide      = 4096    // pixels of its width and of its height: 64 MiB once it is decoded
)

var errNoImage = errors.New("there is no thumbnail: it is to be a JPEG or a PNG of 2 MiB and 4096 × 4096 " +
	"pixels at most, in a record of " + thumbnailOf + "URL")

// serveImage answers with the bytes of a picture of a page, which the live page draws by itself, as
// what no browser takes for an image: a page that has it as a resource shows nothing. Whatever else was
// recorded is for Previews.
func (i *Inspector) serveImage(w http.ResponseWriter, a *asking) error {
	picture, err := i.thumbnail(a.Context(), &a.c)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", "attachment")
	h.Set("Content-Security-Policy", inert)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.Write(picture)
	return nil
}

// thumbnail reads a picture of a page.
func (i *Inspector) thumbnail(ctx context.Context, c *store.Capture) ([]byte, error) {
	if !strings.HasPrefix(c.URL, thumbnailOf) {
		return nil, errNoImage
	}
	o, err := i.openResponse(ctx, c)
	if err != nil {
		return nil, err
	}
	defer o.close()
	if o.size > mostThumbnail {
		return nil, errNoImage
	}
	b, err := io.ReadAll(io.LimitReader(o, mostThumbnail+1))
	if err != nil || len(b) > mostThumbnail || thumbnailType(b) == "" {
		return nil, errNoImage
	}
	return b, nil
}

// thumbnailType is the type of a picture by its bytes; "" of what is none, or too large. No pixel is
// decoded for that.
func thumbnailType(b []byte) string {
	kind := imageType(b, "")
	if kind != "image/jpeg" && kind != "image/png" {
		return ""
	}
	said, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil || "image/"+format != kind || said.Width < 1 || said.Height < 1 ||
		said.Width > mostSide || said.Height > mostSide {
		return ""
	}
	return kind
}
