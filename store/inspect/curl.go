package inspect

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"warcorder/store"
	"warcorder/store/readback"
)

// The bounds of a command: a shell gives no program an argument of more than 128 KiB.
const (
	mostSent    = 64 << 10 // bytes of a body that stands in the command
	mostCommand = 96 << 10 // bytes of the URL and the fields, before they are quoted
)

// hopByHop are the fields that are of a connection (RFC 9110 section 7.6.1), and those that curl makes of
// what it sends.
var hopByHop = map[string]bool{
	"connection": true, "keep-alive": true, "proxy-connection": true, "proxy-authorization": true,
	"proxy-authenticate": true, "te": true, "trailer": true, "transfer-encoding": true, "upgrade": true,
	"content-length": true, "expect": true,
}

// ofCurl are the fields that curl sends by itself, unless it is told not to.
var ofCurl = []string{"User-Agent", "Accept"}

// curlOf is a command for a shell (bash, zsh) that sends the request of a capture again, and what of it
// the command lacks. Without a head it asks for the URL as the index has it. Whatever was recorded, each
// word of it is one word of the command, and no option.
func curlOf(c *store.Capture, head []byte, body io.Reader) (command, lacks string) {
	w := curl{}
	if !isHTTP(c.URL) {
		return "", "it was not asked for by HTTP"
	}
	method := methodOf(c, head)
	w.add("curl", "--globoff", "--path-as-is")
	switch method {
	case "GET":
	case "HEAD":
		w.add("--head")
	default:
		w.add("--request", quote(method))
	}
	w.add("--url", quote(c.URL))
	if target := targetOf(head); target != "" && target != asked(c.URL) {
		w.add("--request-target", quote(target))
	}
	w.fields(head)
	if body != nil && method != "HEAD" {
		w.body(body, method == "GET")
	}
	if w.size > mostCommand {
		return "", "the request is too long for a command"
	}
	return w.input + strings.Join(w.words, " "), strings.Join(w.lacks, "; ")
}

// methodOf is the method that was sent.
func methodOf(c *store.Capture, head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if method, _, found := bytes.Cut(line, []byte(" ")); found && len(method) > 0 {
		return string(method)
	}
	if c.Method != "" {
		return c.Method
	}
	return "GET"
}

// targetOf is what a request has asked for, in origin form; "" if its first line has no such thing.
func targetOf(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	_, rest, _ := bytes.Cut(line, []byte(" "))
	target, _, _ := bytes.Cut(rest, []byte(" "))
	if !bytes.HasPrefix(target, []byte("/")) || bytes.ContainsAny(target, "\x00\t\r") {
		return ""
	}
	return string(target)
}

// asked is what curl asks for by itself, of a URL of HTTP.
func asked(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	rest, _, _ = strings.Cut(rest, "#")
	if at := strings.IndexAny(rest, "/?"); at >= 0 && rest[at] == '/' {
		return rest[at:]
	} else if at >= 0 {
		return "/" + rest[at:]
	}
	return "/"
}

// isHTTP reports whether curl may be given a URL: no other scheme is asked, such as file.
func isHTTP(address string) bool {
	scheme, _, found := strings.Cut(address, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// curl is a command that is being made.
type curl struct {
	input string // what gives it the body
	words []string
	lacks []string
	size  int

	empty   bool // the head says that the body has no byte
	chunked bool // and that it came in chunks
}

func (w *curl) add(words ...string) {
	for _, word := range words {
		w.words = append(w.words, word)
		w.size += len(word)
	}
}

// lack notes what the command leaves out.
func (w *curl) lack(what string, args ...any) { w.lacks = append(w.lacks, fmt.Sprintf(what, args...)) }

// fields adds the fields of a head, and takes out those that curl would add.
func (w *curl) fields(head []byte) {
	has := map[string]bool{}
	left := 0
	for name, value := range readback.Fields(head) {
		lower := strings.ToLower(name)
		w.empty = w.empty || lower == "content-length" && value == "0"
		w.chunked = w.chunked || lower == "transfer-encoding" && strings.EqualFold(value, "chunked")
		switch {
		case hopByHop[lower] || w.size > mostCommand:
			continue
		case !isToken(name) || strings.ContainsAny(value, "\x00\r"):
			left++
			continue
		case value == "":
			w.add("--header", quote(name+";"))
		default:
			w.add("--header", quote(name+": "+value))
		}
		if lower == "accept-encoding" && !has[lower] {
			w.add("--compressed")
		}
		has[lower] = true
	}
	if left > 0 {
		w.lack("%d of the fields cannot be given to curl", left)
	}
	for _, name := range ofCurl {
		if len(head) > 0 && !has[strings.ToLower(name)] {
			w.add("--header", quote(name+":"))
		}
	}
}

// body adds what was sent. Chunks may have other lengths then.
func (w *curl) body(in io.Reader, isGet bool) {
	b, err := io.ReadAll(io.LimitReader(in, mostSent+1))
	switch {
	case err != nil:
		w.lack("the body breaks off")
	case len(b) > mostSent:
		w.lack("the body is longer than %d bytes", mostSent)
	case len(b) == 0 && !w.empty && !w.chunked:
		return
	}
	if isGet { // curl takes what has a body for a POST
		w.add("--request", quote("GET"))
	}
	if w.chunked {
		w.add("--header", quote("Transfer-Encoding: chunked"))
	}
	hasType := false
	for _, word := range w.words {
		hasType = hasType || strings.HasPrefix(strings.ToLower(strings.TrimLeft(word, "$'")), "content-type")
	}
	if !hasType {
		w.add("--header", quote("Content-Type:"))
	}
	w.add("--header", quote("Expect:"))
	b = b[:min(len(b), mostSent)]
	if bytes.IndexByte(b, 0) < 0 {
		w.add("--data-raw", quote(string(b)))
		return
	}
	w.input = "printf %s " + base64.StdEncoding.EncodeToString(b) + " | base64 -d | "
	w.add("--data-binary", "@-")
}

// isToken reports whether a name may be that of a field (RFC 9110 section 5.6.2).
func isToken(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}

// quote is a text as one word of a shell, in one line of ASCII: between single quotes if it has none, nor
// anything that a terminal or another program would take for more than a character; else as $'…', where
// such bytes are written in octal. A NUL, which no word of a command can have, is left out.
func quote(s string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	plain := true
	for i := range len(s) {
		plain = plain && s[i] >= ' ' && s[i] <= '~' && s[i] != '\'' && s[i] != '!' && s[i] != '\\'
	}
	if plain {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '\'' || c == '\\' || c == '!' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
