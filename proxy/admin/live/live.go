// Package live is the page on which people see what a recorder does while it does it: HTML, a style
// and modules that are embedded, and the handlers that serve them. It knows neither a store nor who
// may see what: the modules ask for that by its paths, and whoever mounts the page judges who may
// have them.
//
// A page, once it is in a browser, asks nobody but where it came from, and shows what was recorded as
// text alone. What has to be shown as what it is, is in frames of another origin: that of Visit.Previews.
//
// Invariant: nothing that is served here has a link that is absolute, so that it works below any
// path, nor a script or a style that is not a file of its own; and nothing that a client chose, but
// for the host that it has asked for, gets into it.
package live

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"path"
	"strings"
	"time"
)

// Path is where the modules and all else of the page are.
const Path = "/live/"

// assets is what is served, each file by its name behind Path.
//
//go:embed assets
var assets embed.FS

// front is the template of the page itself, which is at / and not behind Path.
const front = "index.html"

var page = template.Must(template.ParseFS(assets, "assets/"+front))

// Visit is one look at the page.
type Visit struct {
	Control  bool   // it may change something, and shows the buttons for that
	Previews string // the origin of the frames: http://host:port; "" if there are none
	Proxy    string // host:port that this client sets as its proxy
}

// Write answers with the page.
func (v Visit) Write(w http.ResponseWriter) {
	var out bytes.Buffer
	if err := page.Execute(&out, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", v.policy())
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	w.Write(out.Bytes())
}

// policy is the page's Content-Security-Policy.
func (v Visit) policy() string {
	frames := v.Previews
	if _, port, found := strings.Cut(frames, "]:"); found { // a policy knows no address of IPv6
		frames = "http://*:" + port
	}
	if frames == "" {
		frames = "'none'"
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
		"connect-src 'self'; frame-src " + frames + "; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// Assets serves what the page consists of. A browser keeps it, and asks each time whether it is
// still the same.
func Assets(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, Path)
	content, err := assets.ReadFile("assets/" + name)
	kind := kinds[path.Ext(name)]
	if err != nil || name == front || kind == "" {
		http.Error(w, "There is nothing here. The page is at /.", http.StatusNotFound)
		return
	}
	sum := sha256.Sum256(content)
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// kinds are the media types of what is served, by the endings of names: the system's table of types
// is not asked. What has another ending is not served.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".png": "image/png",
}
