package inspect

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"warcorder/store"
	"warcorder/store/readback"
)

// preview says how a body can be looked at.
type preview struct {
	Kind string `json:"kind"`           // text, json, image, hex; none if there is nothing to see
	Text bool   `json:"text,omitempty"` // an image is a text too
	Path string `json:"path,omitempty"` // of an image, at the listener of previews
	Port int    `json:"port,omitempty"` // of that listener
}

// previewOf looks at what the body of a response is, and reads its beginning for that. The page that
// shows it is at a Host.
func (i *Inspector) previewOf(c *store.Capture, r *readback.Response, page string) preview {
	stored := r.Size
	o := i.decodedOf(context.Background(), r)
	start := o.start()
	image := imageType(start, o.contentType)
	switch {
	case len(start) == 0 && stored == 0:
		return preview{Kind: "none"}
	case len(start) == 0:
		return preview{Kind: "hex"}
	case i.previews != nil && o.size <= mostImage && image != "":
		return preview{"image", image == svgType || isPlain(start), i.previews.path(c.Location, page),
			i.previews.port}
	case isJSON(o.contentType):
		return preview{Kind: "json"}
	case readback.IsTextType(o.contentType) || isPlain(start):
		return preview{Kind: "text"}
	}
	return preview{Kind: "hex"}
}

// isPlain reports whether a body that begins so is text, whatever its type.
func isPlain(start []byte) bool {
	return utf8.Valid(start) && !bytes.ContainsFunc(start, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' || r == 0x7f
	})
}

// magic are the bytes that images begin with.
var magic = []struct{ start, kind string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"\x00\x00\x01\x00", "image/x-icon"},
}

const svgType = "image/svg+xml"

// imageType is the type of an image that begins so, by its bytes alone; of SVG, which is text, by what
// its head says too. It is "" for what is no image that browsers show.
func imageType(start []byte, contentType string) string {
	for _, m := range magic {
		if bytes.HasPrefix(start, []byte(m.start)) {
			return m.kind
		}
	}
	switch {
	case len(start) >= 12 && string(start[:4]) == "RIFF" && string(start[8:12]) == "WEBP":
		return "image/webp"
	case len(start) >= 26 && string(start[:2]) == "BM" && string(start[6:10]) == "\x00\x00\x00\x00":
		return "image/bmp"
	case isAVIF(start):
		return "image/avif"
	}
	kind, _, _ := strings.Cut(contentType, ";")
	if strings.EqualFold(strings.TrimSpace(kind), svgType) && bytes.Contains(start, []byte("<svg")) {
		return svgType
	}
	return ""
}

// isAVIF reports a file of ISO/IEC 14496-12 that says of itself that it is an AVIF.
func isAVIF(start []byte) bool {
	if len(start) < 16 || string(start[4:8]) != "ftyp" {
		return false
	}
	end := min(int(start[2])<<8|int(start[3]), len(start), 256)
	brands := []string{string(start[8:12])}
	for at := 16; at+4 <= end; at += 4 {
		brands = append(brands, string(start[at:at+4]))
	}
	return start[0] == 0 && start[1] == 0 &&
		(slices.Contains(brands, "avif") || slices.Contains(brands, "avis"))
}

// imageOf opens the image that a capture's response is; "" for what is none.
func (i *Inspector) imageOf(ctx context.Context, at store.Location) (o *opened, kind string, err error) {
	c, err := i.find(ctx, at)
	if err != nil {
		return nil, "", err
	}
	if o, err = i.openResponse(ctx, &c); err != nil {
		return nil, "", err
	}
	if kind = imageType(o.start(), o.contentType); kind == "" || o.size > mostImage {
		o.close()
		return nil, "", nil
	}
	return o, kind, nil
}

// copyImage copies an image, and no more than may be shown of one.
func copyImage(w io.Writer, o *opened) error {
	n, err := io.Copy(w, io.LimitReader(o, mostImage+1))
	if n > mostImage {
		return errBudget
	}
	return err
}
