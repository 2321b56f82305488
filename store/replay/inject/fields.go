package inject

import (
	"bytes"
	"slices"
	"strings"
)

// Kinds of documents.
type kind int

const (
	html kind = iota
	xhtml
)

// field is a field of a head, with the lines that are folded into it; the status line has no name.
type field struct {
	name, value string
	raw         []byte
}

// fieldsOf takes a head apart, without its empty line.
func fieldsOf(head []byte) (all []field) {
	for len(head) > 0 {
		end := bytes.IndexByte(head, '\n') + 1
		if end == 0 {
			end = len(head)
		}
		line := head[:end]
		head = head[end:]
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			continue
		}
		if folded := line[0] == ' ' || line[0] == '\t'; folded && len(all) > 1 {
			last := &all[len(all)-1]
			last.raw = append(last.raw[:len(last.raw):len(last.raw)], line...)
			last.value += " " + strings.TrimSpace(string(line))
			continue
		}
		f := field{raw: line}
		if name, value, is := strings.Cut(string(line), ":"); is && len(all) > 0 {
			f.name, f.value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		}
		all = append(all, f)
	}
	return all
}

// dropped are fields that are not true of the changed document, or that its framing makes anew.
var dropped = []string{"content-length", "transfer-encoding", "content-encoding", "trailer",
	"content-md5", "digest", "content-digest", "repr-digest", "accept-ranges", "x-warcorder-injected"}

// rewritten returns the head of a changed document.
func rewritten(fields []field) []byte {
	var head []byte
	for _, f := range fields {
		if !slices.Contains(dropped, f.name) {
			head = append(head, f.raw...)
		}
	}
	return append(head, "X-Warcorder-Injected: clock\r\n\r\n"...)
}

// get returns the first field of that name.
func get(fields []field, name string) string {
	for _, f := range fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// count returns how many fields have that name.
func count(fields []field, name string) (n int) {
	for _, f := range fields {
		if f.name == name {
			n++
		}
	}
	return n
}

// kindOf says from its head whether a response is a document, and in which charset if the head says
// so. What a browser would have to guess, saves to disk, or shows a part of, is none.
func kindOf(head []byte) (k kind, charset string, is bool) {
	fields := fieldsOf(head)
	if len(fields) == 0 || !hasBody(fields[0].raw) {
		return 0, "", false
	}
	disposition, _, _ := strings.Cut(get(fields, "content-disposition"), ";")
	if strings.EqualFold(strings.TrimSpace(disposition), "attachment") {
		return 0, "", false
	}
	if count(fields, "content-type") != 1 {
		return 0, "", false
	}
	mediaType, parameters, _ := strings.Cut(get(fields, "content-type"), ";")
	switch strings.ToLower(strings.TrimSpace(mediaType)) {
	case "text/html":
		return html, charsetOf(parameters), true
	case "application/xhtml+xml":
		return xhtml, charsetOf(parameters), true
	}
	return 0, "", false
}

// hasBody reports whether a response of that status line is shown with its body.
func hasBody(line []byte) bool {
	_, status, _ := strings.Cut(string(line), " ")
	status, _, _ = strings.Cut(strings.TrimSpace(status), " ")
	return len(status) == 3 && (status[0] == '2' || status[0] == '4' || status[0] == '5') &&
		status != "204" && status != "205" && status != "206"
}

// charsetOf returns the charset of the parameters of a media type, in lower case.
func charsetOf(parameters string) string {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(strings.TrimSpace(name), "charset") {
			return strings.ToLower(strings.Trim(strings.TrimSpace(value), `"'`))
		}
	}
	return ""
}
