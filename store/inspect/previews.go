package inspect

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"
	"time"

	"warcorder/store"
)

// Previews shows the images that were recorded, in the frames of a page, at an origin of their own: a
// listener that has nothing else, so that what an image does, if it can do anything, it does where
// nothing is.
//
//	/KEY          a document that has the image, and nothing else
//	/KEY/image    its bytes
//
// A KEY is given out by the page alone, and opens one image for ten minutes:
//
//	expiry(8) offset(8)    seconds since 1970; big endian
//	page NUL file          the Host that the page is at, for the browser that asks
//	mac(32)                HMAC-SHA256 of that, by a secret of this process
//
// in Base64 as URLs have it. All else is 404, without a word of why.
type Previews struct {
	from   *Inspector
	secret [32]byte
	port   int                    // that it is reached at
	isOwn  func(host string) bool // reports a Host that no foreign page can send us
	now    func() time.Time       // the clock
	places chan struct{}          // one for each image that is being sent
}

const (
	keyTime    = 10 * time.Minute
	mostImage  = 8 << 20 // bytes of an image without its content codings
	mostImages = 32      // that are being sent at a time
	mostKey    = 1 << 10 // characters of a key: the name of a file has 255 bytes at most
	mostHost   = 300     // characters of where the page is: of its name 255 at most

	keyHead = 16
)

// NewPreviews returns what shows images at the port; isOwn reports the names by which it, and the page
// that shows them, are reached.
func NewPreviews(port int, isOwn func(host string) bool) *Previews {
	p := &Previews{port: port, isOwn: isOwn, now: time.Now, places: make(chan struct{}, mostImages)}
	rand.Read(p.secret[:])
	return p
}

// path is where the image of a capture is to be had for some time, in frames of the page at a Host.
func (p *Previews) path(at store.Location, page string) string {
	if len(page) > mostHost {
		page = ""
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(p.now().Add(keyTime).Unix()))
	b = binary.BigEndian.AppendUint64(b, uint64(at.Offset))
	b = append(append(append(b, page...), 0), at.File...)
	return "/" + base64.RawURLEncoding.EncodeToString(append(b, p.mac(b)...))
}

func (p *Previews) mac(b []byte) []byte {
	sum := hmac.New(sha256.New, p.secret[:])
	sum.Write(b)
	return sum.Sum(nil)
}

// placeOf is what a key opens, if it opens anything now, and the Host of the page.
func (p *Previews) placeOf(key string) (at store.Location, page string, opens bool) {
	if len(key) > mostKey {
		return at, "", false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(key)
	if err != nil || len(b) <= keyHead+sha256.Size {
		return at, "", false
	}
	b, mac := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if !hmac.Equal(mac, p.mac(b)) {
		return at, "", false
	}
	at.Offset = int64(binary.BigEndian.Uint64(b[8:]))
	page, at.File, _ = strings.Cut(string(b[keyHead:]), "\x00")
	return at, page, p.now().Unix() < int64(binary.BigEndian.Uint64(b))
}

// ServeHTTP answers for an image, or the document around it.
func (p *Previews) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, isImage := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/"), "/image")
	at, page, opens := p.placeOf(key)
	if !opens || !p.mayHave(r, isImage) {
		nothing(w)
		return
	}
	select {
	case p.places <- struct{}{}:
		defer func() { <-p.places }()
	default:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if !isImage {
		document(w, key, page)
		return
	}
	o, kind, err := p.from.imageOf(r.Context(), at)
	if err != nil || kind == "" {
		nothing(w)
		return
	}
	defer o.close()
	protect(w.Header(), page)
	w.Header().Set("Content-Type", kind)
	if r.Method == http.MethodHead {
		return
	}
	if copyImage(w, o) != nil {
		panic(http.ErrAbortHandler) // so that nobody takes a part for the whole
	}
}

// mayHave reports whether a request is one that a frame of the page makes, as far as it says.
func (p *Previews) mayHave(r *http.Request, isImage bool) bool {
	wanted := "iframe"
	if isImage {
		wanted = "image"
	}
	dest := r.Header.Get("Sec-Fetch-Dest")
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.RawQuery == "" &&
		p.isOwn(r.Host) && (dest == "" || dest == wanted)
}

// nothing answers that nothing is here.
func nothing(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNotFound)
}

// protect says of an answer that it does nothing, and where alone it is shown.
func protect(h http.Header, page string) {
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; img-src 'self'; "+
		"style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors "+
		sourceOf(page))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Disposition", "inline")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

// sourceOf is the page at a Host as a policy names it. A policy knows no address of IPv6: what is at
// the port of the page stands for it then.
func sourceOf(page string) string {
	if _, port, found := strings.Cut(page, "]:"); found && !strings.ContainsFunc(port, notInHost) {
		return "http://*:" + port
	}
	if page == "" || strings.ContainsFunc(page, notInHost) {
		return "'none'"
	}
	return "http://" + page
}

func notInHost(r rune) bool {
	return (r|0x20 < 'a' || r|0x20 > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-._:", r)
}

// document is the document around an image.
func document(w http.ResponseWriter, key, page string) {
	var b bytes.Buffer
	b.WriteString(`<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Preview</title><style>` +
		`html{color-scheme:light dark}body{margin:0;display:grid;place-items:center;min-height:100vh}` +
		`img{min-width:64px;min-height:64px;max-width:100%;max-height:100vh;object-fit:contain;` +
		`outline:1px solid #8886;background:repeating-conic-gradient(#8883 0 25%,#0000 0 50%)` +
		` 0/16px 16px}</style><img alt="The image that was recorded" src="/` + key + `/image">`)
	protect(w.Header(), page)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(b.Bytes())
}
