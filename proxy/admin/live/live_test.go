package live

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

func below(t *testing.T, name string) fs.FS {
	t.Helper()
	files, err := fs.Sub(assets, name)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestAssets: whatever path the page is below, it asks for nothing that is elsewhere.
func TestAssets(t *testing.T) {
	for _, fault := range faultsOf(below(t, "assets")) {
		t.Error(fault)
	}
}

// TestFaults: what must not be in an asset is found, and what may be is not.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		name, text string
		want       int
	}{
		"absolute link":      {"a.html", `<a href="/status">x</a>`, 1},
		"another site":       {"a.html", `<img src="http://a.example/x">`, 1},
		"any scheme":         {"a.html", `<a href=" javascript:x">`, 1},
		"relative to scheme": {"a.html", `<script src="//a.example/x"></script>`, 1},
		"script in it":       {"a.html", `<script>x</script>`, 1},
		"event":              {"a.html", `<p onclick="x">`, 1},
		"style":              {"a.html", `<p style="x">`, 1},
		"style in it":        {"a.html", `<style>p{}</style>`, 2}, // begins and ends
		"base":               {"a.html", `<base href="x">`, 1},
		"not there":          {"a.html", `<script src="live/b.js"></script>`, 1},
		"picture's script":   {"a.svg", `<svg><script>x</script></svg>`, 1},
		"markup is well":     {"a.html", `<script src="live/c.js"></script><a href="status">x</a>`, 0},

		"asks by path":    {"a.js", `fetch("/status")`, 1},
		"asks elsewhere":  {"a.js", "fetch(`http://a.example/${x}`)", 1},
		"scheme in parts": {"a.js", `x = "http:" + y`, 1},
		"socket":          {"a.js", `new WebSocket("ws://x")`, 1},
		"by name":         {"a.js", `import { h } from "preact";`, 1},
		"by path":         {"a.js", `import "/live/c.js";`, 2}, // which is absolute, too
		"missing":         {"a.js", `import { x } from "./b.js";`, 1},
		"missing, later":  {"a.js", `await import("./b.js")`, 1},
		"handed on":       {"a.js", "export {\n x } from './b.js'", 1},
		"past html.js":    {"a.js", `import { html } from "./vendor/d.js";`, 1},
		"by html.js":      {"html.js", `import { h } from "./vendor/d.js";`, 0},
		"markup":          {"a.js", `x.innerHTML = y`, 1},
		"function":        {"a.js", `new Function(x)`, 1},
		"module is well": {"a.js", `import { x } from "./c.js"; // either/or
			const svg = "http://www.w3.org/2000/svg"; fetch("status?a=/b"); y = a / b / c; evaluate();`, 0},

		"style's import":  {"a.css", `@import "x.css";`, 1},
		"style's picture": {"a.css", `p { background: url(/x.png) }`, 1},
		"style's data":    {"a.css", `p { background: url("data:x") }`, 1},
		"style is well":   {"a.css", `a:hover { background: url(x.png) }`, 0},

		"of no kind": {"a.wasm", ``, 1},
	} {
		files := fstest.MapFS{c.name: {Data: []byte(c.text)}, "c.js": {}, "vendor/d.js": {}}
		if faults := faultsOf(files); len(faults) != c.want {
			t.Errorf("%s: %q", name, faults)
		}
	}
}

// TestVendored: each file that others have made is what its package has, by the checksum that is
// written beside it, and nothing else is there.
func TestVendored(t *testing.T) {
	files := below(t, "assets/vendor")
	const list = "packages.sha256"
	listed := map[string]string{list: ""}
	text, err := fs.ReadFile(files, list)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		line := strings.Fields(lines.Text())
		if len(line) == 0 || line[0] == "#" {
			continue
		}
		if len(line) != 4 || !strings.Contains(line[2], "@") {
			t.Fatalf("%q: want checksum, name, package@version, path", line)
		}
		listed[line[1]] = line[0]
	}
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		if want, known := listed[name]; !known || name != list && want != hex.EncodeToString(sum[:]) {
			t.Errorf("%s is not what %s says", name, list)
		}
		if name != list {
			if _, err := fs.Stat(files, path.Join(path.Dir(name), "LICENSE")); err != nil {
				t.Error(err)
			}
		}
		delete(listed, name)
		return nil
	})
	if err != nil || len(listed) > 0 {
		t.Errorf("%v; not there: %v", err, listed)
	}
}

// TestServed: each asset has its type and a name for its content, by which it is asked for once; the
// page and what is not one of the assets are not there.
func TestServed(t *testing.T) {
	served := 0
	err := fs.WalkDir(below(t, "assets"), ".", func(name string, entry fs.DirEntry, err error) error {
		want := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
			".svg": "image/svg+xml", ".png": "image/png"}[path.Ext(name)]
		if err != nil || entry.IsDir() || want == "" {
			return err
		}
		served++
		w := get(name, "")
		tag := w.Header().Get("ETag")
		if w.Code != 200 || w.Header().Get("Content-Type") != want || w.Body.Len() == 0 || tag == "" ||
			w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
		if again := get(name, tag); again.Code != 304 || again.Body.Len() > 0 {
			t.Errorf("%s again: %d", name, again.Code)
		}
		return nil
	})
	if err != nil || served < 3 {
		t.Errorf("%d served, %v", served, err)
	}
	for _, name := range []string{"", "index.html", "../live.go", "none.js", "vendor", "vendor/",
		"vendor/packages.sha256", "vendor/../app.js", "/app.js", "app.js/", "%2e%2e/live.go", "app.js%00"} {
		if w := get(name, ""); w.Code != 404 || len(w.Body.String()) > 100 {
			t.Errorf("%q: %d %s", name, w.Code, w.Body)
		}
	}
}

func get(name, tag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.Path = Path + name
	r.Header.Set("If-None-Match", tag)
	w := httptest.NewRecorder()
	Assets(w, r)
	return w
}

// TestPage: the page says who looks at it, and lets nothing run or load but its own.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		visit          Visit
		html, frameSrc string
	}{
		{Visit{}, `data-control="false" data-previews="" data-proxy=""`, "frame-src 'none';"},
		{Visit{true, "http://127.0.0.1:9", "127.0.0.1:8"},
			`data-control="true" data-previews="http://127.0.0.1:9" data-proxy="127.0.0.1:8"`,
			"frame-src http://127.0.0.1:9;"},
	} {
		w := httptest.NewRecorder()
		c.visit.Write(w)
		policy := w.Header().Get("Content-Security-Policy")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), c.html) ||
			!strings.Contains(policy, c.frameSrc) || strings.Contains(policy, "unsafe") ||
			w.Header().Get("Cache-Control") != "no-store" ||
			w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%+v: %v %s", c.visit, w.Header(), w.Body)
		}
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'",
			"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
			"require-trusted-types-for 'script'", "trusted-types 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: no %s", policy, part)
			}
		}
	}
}
