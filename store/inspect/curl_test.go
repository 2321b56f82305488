package inspect

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"warcorder/store"
	"warcorder/store/chunks"
)

// shell runs a command in bash, and returns what it prints.
func shell(t *testing.T, command string) string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	cmd := exec.Command(bash, "-c", command)
	cmd.Dir = t.TempDir()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", command, err, said.Bytes())
	}
	return string(out)
}

// TestQuote: a shell makes of a quoted text that text, as one word, whatever bytes it has.
func TestQuote(t *testing.T) {
	var all []byte
	for c := 1; c < 256; c++ {
		all = append(all, byte(c))
	}
	var command strings.Builder
	var want string
	for _, s := range []string{"", "a", "it's", `\`, `\'`, "$(id)", "`id`", "!!", "-x", "@file", "\n", "\r\n",
		"é\xff\x01", "\x1b]0;title\a", "\u202e", `\x27;id;`, "'; touch x; '", "$'", "\\\n'", "12\x013", "%s",
		string(all), string(all) + string(all)} {
		command.WriteString("printf '<%s>' " + quote(s) + "\n")
		want += "<" + s + ">"
		if strings.ContainsFunc(quote(s), func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%q: %q is not one line of ASCII", s, quote(s))
		}
	}
	if got := shell(t, command.String()); got != want {
		t.Errorf("\n%q\n%q", got, want)
	}
}

// FuzzQuote: nothing ends the quoting: what stands between the quotation marks has none, and no
// backslash but one before three digits.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "it's", `\'`, "\x00'", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := quote(s)
		inner := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(quoted, "$"), "'"), "'")
		isEscaped := strings.HasPrefix(quoted, "$")
		for i := 0; i < len(inner); i++ {
			switch c := inner[i]; {
			case c == '\\' && isEscaped && i+3 < len(inner)+0 && strings.Trim(inner[i+1:i+4], "01234567") == "":
			case c == '\'' || c < ' ' || c > '~' || c == '\\' || c == '!':
				t.Fatalf("%q: %q", s, quoted)
			}
		}
	})
}

// TestCurl: the command sends what was recorded, and does nothing else, though URL, method, fields and
// body are those of somebody who would have it do more.
func TestCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl")
	}
	evil := "'; touch evil; $(touch evil) `touch evil` \\'\\\" ! #"
	var all []byte
	for c := 0; c < 256; c++ {
		all = append(all, byte(c))
	}
	fields := []string{"X-Evil: " + evil, "X-At: @/etc/passwd", "X-Empty:", "X-High: \xff\xfe é", "X-Dash: --output x",
		"Accept: */*", "User-Agent: \"q\" $HOME", "Cookie: a='b'; c=$d", "Accept-Encoding: identity"}
	for name, c := range map[string]struct {
		method, target, body string
		fields               []string
	}{
		"GET":            {"GET", "/a/../b//c?x={1,2}&y=[1-3]&z='$(id)'", "", fields},
		"no fields":      {"GET", "/", "", nil},
		"HEAD":           {"HEAD", "/head", "", fields},
		"POST":           {"POST", "/p", "@/etc/passwd" + evil + "\r\n\tend\n", append(fields, "Content-Type: text/x'y")},
		"no type":        {"POST", "/p", "a=b&c=" + string(all[1:]), nil},
		"binary":         {"PUT", "/p", string(all), append(fields, "Content-Type: application/octet-stream")},
		"strange method": {"-o'X$(id)", "/m", "", nil},
		"patch":          {"PATCH", "/" + strings.Repeat("x", 5000), strings.Repeat("y", 60_000), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := listen(t)
			head := c.method + " " + c.target + " HTTP/1.1\r\nHost: " + got.address + "\r\n"
			for _, field := range c.fields {
				head += field + "\r\n"
			}
			capture := store.Capture{URL: "http://" + got.address + c.target, Method: c.method}
			command, lacks := curlOf(&capture, []byte(head+"Connection: close\r\nTE: x\r\n\r\n"), strings.NewReader(c.body))
			if lacks != "" {
				t.Fatalf("it lacks %s", lacks)
			}
			if strings.Contains(command, "\n") {
				t.Errorf("it has several lines: %q", command)
			}
			shell(t, command+" --silent --max-time 20 >/dev/null; ls -A | tee /dev/stderr; test -z \"$(ls -A)\"")
			sent := <-got.requests
			if want := head; strings.Join(sorted(sent.head), "\n") != strings.Join(sorted(want), "\n") {
				t.Errorf("\n%q\n%q\n%s", sorted(sent.head), sorted(want), command)
			}
			if sent.body != c.body {
				t.Errorf("body %.200q, not %.200q", sent.body, c.body)
			}
		})
	}
}

// TestCurlBytes: where curl can, the command sends the very bytes that were recorded: the target as it
// stood in the request, which the URL of the record may spell otherwise, and the framing of the body.
func TestCurlBytes(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl")
	}
	for name, c := range map[string]struct{ request, url, body string }{
		"target":  {"GET /a/../b?q='[]{}|^*$!&x=%zz HTTP/1.1", "/a/../b?q='%5B%5D%7B%7D%7C%5E*$!&x=%25zz", ""},
		"query":   {"GET /?x HTTP/1.1", "?x", ""},
		"empty":   {"POST /p HTTP/1.1\r\nContent-Length: 0", "/p", ""},
		"get":     {"GET /p HTTP/1.1\r\nContent-Length: 3", "/p", "a\x00b"},
		"chunked": {"PUT /p HTTP/1.1\r\nTransfer-Encoding: chunked", "/p", "5\r\nhello\r\n0\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := listen(t)
			line, framing, _ := strings.Cut(c.request, "\r\n")
			head := line + "\r\nHost: " + got.address + "\r\n"
			if framing != "" {
				head += framing + "\r\n"
			}
			body := io.Reader(strings.NewReader(c.body))
			if name == "chunked" {
				body = chunks.NewReader(body)
			}
			command, lacks := curlOf(&store.Capture{URL: "http://" + got.address + c.url}, []byte(head+"\r\n"), body)
			shell(t, command+" --silent --max-time 20")
			sent := <-got.requests
			if sent.head != head || sent.body != c.body || lacks != "" {
				t.Errorf("%q %q, not %q %q\n%s", sent.head, sent.body, head, c.body, command)
			}
		})
	}
}

// TestCurlLacks: what cannot be sent again is said, and what no program should be told to ask for has no
// command.
func TestCurlLacks(t *testing.T) {
	for _, c := range []struct{ url, head, body, command, lacks string }{
		{"file:///etc/passwd", "", "", "", "not asked for by HTTP"},
		{"dns:example.com", "", "", "", "not asked for by HTTP"},
		{"http://example.com/", "GET / HTTP/1.1\r\n@evil: x\r\nA\x00: y\r\nB: \x00\r\n\r\n", "", "--url", "3 of the fields"},
		{"http://example.com/", "POST / HTTP/1.1\r\n\r\n", strings.Repeat("x", mostSent+1), "--data-raw", "longer"},
		{"http://example.com/" + strings.Repeat("x", mostCommand), "", "", "", "too long"},
		{"http://example.com/", "", "", "'http://example.com/'", ""},
	} {
		command, lacks := curlOf(&store.Capture{URL: c.url}, []byte(c.head), strings.NewReader(c.body))
		if !strings.Contains(command, c.command) || !strings.Contains(lacks, c.lacks) ||
			c.command == "" && command != "" || strings.Contains(command, "evil") {
			t.Errorf("%.40s: %.100s, lacks %s", c.url, command, lacks)
		}
	}
}

// sorted are the lines of a head but those that are made by curl of what it sends.
func sorted(head string) (lines []string) {
	for _, line := range strings.Split(strings.TrimRight(head, "\r\n"), "\r\n") {
		if name, value, _ := strings.Cut(line, ":"); name != "Content-Length" && name != "Host" {
			lines = append(lines, name+":"+strings.TrimLeft(value, " "))
		}
	}
	return lines
}

type sent struct{ head, body string }

type listener struct {
	address  string
	requests chan sent
}

// listen is a server that says what it was sent, byte for byte.
func listen(t *testing.T) listener {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	l := listener{ln.Addr().String(), make(chan sent, 1)}
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		var all []byte
		buf := make([]byte, 1<<16)
		for {
			n, err := conn.Read(buf)
			all = append(all, buf[:n]...)
			head, body, whole := strings.Cut(string(all), "\r\n\r\n")
			ended := !strings.Contains(head, "\r\nTransfer-Encoding: chunked") || strings.HasSuffix(body, "0\r\n\r\n")
			if whole && ended && len(body) >= lengthOf(head) || err != nil {
				l.requests <- sent{head + "\r\n", body}
				io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				return
			}
		}
	}()
	return l
}

func lengthOf(head string) (n int) {
	for _, line := range strings.Split(head, "\r\n") {
		if value, is := strings.CutPrefix(http.CanonicalHeaderKey(line), "Content-Length: "); is {
			for _, c := range value {
				n = 10*n + int(c-'0')
			}
		}
	}
	return n
}
