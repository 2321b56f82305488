package har

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
)

// arguments are those of a URL's query.
func arguments(address string) []pair {
	address, _, _ = strings.Cut(address, "#")
	_, query, _ := strings.Cut(address, "?")
	pairs := []pair{}
	eachArgument(query, func(name, value string) {
		pairs = append(pairs, pair{Name: name, Value: value})
	})
	return pairs
}

// eachArgument takes what is urlencoded apart, as URLSearchParams does.
func eachArgument(query string, take func(name, value string)) {
	n := 0
	for one := range strings.SplitSeq(query, "&") {
		if one == "" {
			continue
		}
		if n++; n > mostArguments {
			return
		}
		name, value, _ := strings.Cut(one, "=")
		take(unescape(name), unescape(value))
	}
}

// unescape takes the percent encoding off; where it is broken, what is there stands for itself.
func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return text(plain)
	}
	return text(s)
}

// paramsOf returns the fields of a form that a request has sent, nil if it has sent none; of files
// the names alone.
func paramsOf(mediaType string, body []byte) (params []param) {
	kind, options, err := mime.ParseMediaType(mediaType)
	switch {
	case kind == "application/x-www-form-urlencoded":
		eachArgument(string(body), func(name, value string) {
			params = append(params, param{Name: name, Value: value})
		})
	case kind == "multipart/form-data" && err == nil && options["boundary"] != "":
		params = parts(multipart.NewReader(bytes.NewReader(body), options["boundary"]))
	}
	return params
}

// parts returns the fields of a form, up to one that is broken.
func parts(form *multipart.Reader) (params []param) {
	for len(params) < mostArguments {
		part, err := form.NextRawPart()
		if err != nil {
			return params
		}
		p := param{
			Name: text(part.FormName()),
			File: text(part.FileName()),
			Type: text(part.Header.Get("Content-Type")),
		}
		if p.File == "" {
			value, err := io.ReadAll(part)
			if err != nil {
				return params
			}
			p.Value = text(string(value))
		}
		params = append(params, p)
	}
	return params
}
