package har

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"strconv"
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

// unescape takes the percent encoding off; a percent sign that begins none stands for itself.
func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return text(s)
	}
	plain := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '+' {
			c = ' '
		} else if c == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c, i = byte(n), i+2
			}
		}
		plain = append(plain, c)
	}
	return text(string(plain))
}

// mostType is how long a media type may be whose parameters are looked at.
const mostType = 1000

// paramsOf returns the fields of a form that a request has sent, nil if it has sent none; of files
// the names alone.
func paramsOf(mediaType string, body []byte) (params []param) {
	if len(mediaType) > mostType {
		return nil
	}
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
