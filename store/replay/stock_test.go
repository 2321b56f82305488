package replay

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// stocked is a record of a file that another tool wrote: whatever a test wants to be answered from.
type stocked struct {
	url     string // http://example.com/
	kind    string // WARC-Type: response
	fields  string // of the WARC header, with line ends
	block   string
	request string // the request that was recorded with it; "" if none was
	at      int    // minutes behind begun
}

// stock is an archive of such records.
type stock struct {
	*Archive
	t     testing.TB
	files *readback.Files
	dir   collection.Dir
}

// stockOf makes an archive of records. When the test ends, nothing of it may be open.
func stockOf(t testing.TB, cfg Config, records ...stocked) *stock {
	t.Helper()
	var file bytes.Buffer
	for i := range records {
		records[i].write(&file, i)
	}
	from := filepath.Join(t.TempDir(), "stock.warc")
	if err := os.WriteFile(from, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := collection.Dir(t.TempDir())
	added, err := recovery.Add(recovery.Config{}, dir, []string{from}, true, zerolog.Nop())
	if err != nil || len(added[0].Damaged) > 0 {
		t.Fatal(added, err)
	}
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		t.Fatal(err)
	}
	keyer, err := store.NewKeyer(store.KeysConfig{})
	if err != nil {
		t.Fatal(err)
	}
	s := &stock{t: t, files: readback.New(dir, index), dir: dir}
	s.Archive = New(cfg, index, s.files, keyer)
	t.Cleanup(func() {
		s.closed()
		index.Close()
	})
	return s
}

func (r *stocked) write(file *bytes.Buffer, i int) {
	url, kind := r.url, r.kind
	if url == "" {
		url = "http://example.com/"
	}
	if kind == "" {
		kind = "response"
	}
	write := func(kind, id, more, block string) {
		fmt.Fprintf(file, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%s>\r\n"+
			"WARC-Target-URI: %s\r\nWARC-Date: %s\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, id, url,
			minute(r.at).Format(time.RFC3339), more, len(block), block)
	}
	id := fmt.Sprint("r", i)
	fields := r.fields
	if !strings.Contains(fields, "Content-Type") {
		fields += "Content-Type: application/http; msgtype=response\r\n"
	}
	write(kind, id, fields, r.block)
	if r.request != "" {
		write("request", "q"+id, "WARC-Concurrent-To: <urn:"+id+">\r\n"+
			"Content-Type: application/http; msgtype=request\r\n", r.request)
	}
}

// closed tests that no file is in use any more.
func (s *stock) closed() {
	s.t.Helper()
	s.files.Close()
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, fd := range open {
		to, _ := os.Readlink(fd)
		if strings.HasPrefix(to, s.dir.Archive()) {
			s.t.Errorf("%s is open", to)
		}
	}
}

// got is an answer as a client reads it.
type got struct {
	status int
	header http.Header
	body   string
	err    error // of the body
}

// get asks for http://example.com/ with some fields, and reads the answer with the standard
// library's client.
func (s *stock) get(method string, fields ...string) got {
	s.t.Helper()
	return s.getURL(context.Background(), method, "http://example.com/", fields...)
}

func (s *stock) getURL(ctx context.Context, method, url string, fields ...string) got {
	s.t.Helper()
	start := crlf(append([]string{method + " / HTTP/1.1", "Host: example.com"}, fields...)...)
	answer, rest, err := s.Answer(ctx, method, url, start, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rest.Close()
	res, err := http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(answer), rest)),
		&http.Request{Method: method})
	if err != nil {
		s.t.Fatalf("%q: %v", answer, err)
	}
	body, err := io.ReadAll(res.Body)
	return got{res.StatusCode, res.Header, string(body), err}
}

// String is what of an answer a table tells: the status, the Content-Range and the body of each
// part, and an error.
func (g got) String() string {
	shown := fmt.Sprint(g.status)
	if g.body == "" && g.err != nil {
		return shown + " " + g.err.Error()
	}
	kind, params, _ := mime.ParseMediaType(g.header.Get("Content-Type"))
	switch {
	case kind == "multipart/byteranges" && g.err == nil:
		parts := multipart.NewReader(strings.NewReader(g.body), params["boundary"])
		for {
			part, err := parts.NextPart()
			if err != nil {
				break
			}
			text, err := io.ReadAll(part)
			shown += fmt.Sprintf(" %s %s", part.Header.Get("Content-Range"), text)
			if err != nil {
				shown += " " + err.Error()
			}
		}
	case g.header.Get("Content-Range") != "":
		shown += " " + g.header.Get("Content-Range") + " " + g.body
	default:
		shown += " " + g.body
	}
	if g.err != nil {
		shown += " " + g.err.Error()
	}
	return strings.ReplaceAll(strings.TrimSpace(shown), "bytes ", "")
}
