package wayback

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
)

// Front is the front page of a program that serves collections: which paths there are. What is
// served stands at list, for those who may read it.
func Front(list string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		front.Execute(w, list)
	})
}

var front = template.Must(template.New("front").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>warcorder</title>
<h1>warcorder</h1>
<p>Collections are served here: <a href="{{.}}">which</a>. Each has, below its name,</p>
<ul>
<li><code>/NAME/cdx?url=URL</code>: the index, with the parameters of pywb's CDX server
<li><code>/NAME/cdx/search/cdx?url=URL</code>: with those of the Wayback Machine's
<li><code>/NAME/web/timemap/json/URL</code>: the captures of a URL; also cdx and link
<li><code>/NAME/web/YYYYMMDDhhmmssid_/URL</code>: what was recorded, nearest to that time
<li><code>/NAME/warc/FILE</code>: a WARC file
<li><code>/NAME/warc/index.cdxj</code>: the whole index
</ul>
<p>Where one collection alone is served, its name may be left out; and a WARC file is found without
it if no other collection has one of that name.</p>
</html>
`))

// List tells which collections there are, as JSON.
func List(all []Collection) http.Handler {
	type one struct {
		Name string `json:"name"`
		CDX  string `json:"cdx"`
		Web  string `json:"web"`
		WARC string `json:"warc"`
	}
	list := []one{}
	for _, c := range all {
		at := "/" + url.PathEscape(c.Name)
		list = append(list, one{c.Name, at + cdxPath, at + webPath, at + warcPath})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.Encode(map[string]any{"collections": list})
	})
}

// Nothing answers where nothing is.
func Nothing(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusNotFound, "Nothing is here. "+Routes)
}
