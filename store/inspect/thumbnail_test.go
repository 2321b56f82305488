package inspect

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/store"
)

// keep records a record that is no exchange, and returns where it lies.
func (s *shown) keep(uri, mime string, block []byte) store.Location {
	s.t.Helper()
	e := s.rec.BeginExtra()
	e.Type, e.URI, e.ContentType = recorder.Resource, uri, mime
	e.Block.Write(block)
	written, err := e.Write(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return written.Location
}

func jpegOf(width, height int) []byte {
	var b bytes.Buffer
	jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil)
	return b.Bytes()
}

// pngOf is a picture whose head says that it has so many pixels, whatever it has.
func pngOf(width, height uint32) []byte {
	var b bytes.Buffer
	png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1)))
	head := b.Bytes()[8+4 : 8+8+13]
	binary.BigEndian.PutUint32(head[4:], width)
	binary.BigEndian.PutUint32(head[8:], height)
	binary.BigEndian.PutUint32(b.Bytes()[8+8+13:], crc32.ChecksumIEEE(head))
	return b.Bytes()
}

// TestThumbnail: the page gets the bytes of a picture of a page, and no browser takes them for what they
// are; of what is no JPEG or PNG of that size, and of any other capture, none.
func TestThumbnail(t *testing.T) {
	s := recorded(t)
	const uri = thumbnailOf + "http://example.com/"
	for kind, block := range map[string][]byte{"image/jpeg": jpegOf(640, 360), "image/png": pngOf(4096, 4096)} {
		at := s.keep(uri, "text/html", block)
		status, body := s.ask(ImagePath, at, "")
		if status != http.StatusOK || !bytes.Equal(body, block) {
			t.Errorf("%s: %d %.100q", kind, status, body)
		}
		res, err := http.Get(fmt.Sprint(s.pages.URL, ImagePath, "?file=", url.QueryEscape(at.File), "&offset=", at.Offset))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		for name, want := range map[string]string{
			"Content-Type": "application/octet-stream", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": inert, "Content-Disposition": "attachment",
		} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", kind, name, got)
			}
		}
	}
	for name, block := range map[string][]byte{
		"SVG":         []byte("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'></svg>"),
		"HTML":        []byte("<script>alert(1)</script>"),
		"GIF":         []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"),
		"a beginning": jpegOf(9, 9)[:12],
		"wide":        pngOf(4097, 1), "high": pngOf(1, 4097), "huge": pngOf(1<<31-1, 1<<31-1),
		"long":    append(jpegOf(9, 9), make([]byte, mostThumbnail)...),
		"nothing": nil,
	} {
		status, body := s.ask(ImagePath, s.keep(uri, "image/png", block), "")
		if status != 404 || !json.Valid(body) {
			t.Errorf("%s: %d %.100q", name, status, body)
		}
	}
	c := s.commit("http://example.com/picture", get, "HTTP/1.1 200 OK\r\n\r\n"+string(jpegOf(9, 9)))
	view := s.keep("urn:view:http://example.com/", "image/jpeg", jpegOf(9, 9))
	for _, at := range []store.Location{c.Location, view} {
		if status, body := s.ask(ImagePath, at, ""); status != 404 {
			t.Errorf("what is no thumbnail: %d %.100q", status, body)
		}
	}
}

// FuzzThumbnailType: what is taken for a picture has the type and the size that a thumbnail may have.
func FuzzThumbnailType(f *testing.F) {
	f.Add(jpegOf(3, 2))
	f.Add(pngOf(3, 2))
	f.Add([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("x", 99)))
	f.Fuzz(func(t *testing.T, b []byte) {
		kind := thumbnailType(b)
		if kind == "" {
			return
		}
		said, format, err := image.DecodeConfig(bytes.NewReader(b))
		if err != nil || kind != "image/"+format || said.Width > mostSide || said.Height > mostSide {
			t.Errorf("%q is %s: %+v %v", b, kind, said, err)
		}
	})
}
