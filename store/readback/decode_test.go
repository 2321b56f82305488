package readback

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"warcorder/recorder/recovery/foreign"
)

// coded returns text in each coding.
func codedTexts(t testing.TB, text string) map[string]string {
	t.Helper()
	all := map[string]string{}
	encode := func(name string, begin func(io.Writer) io.WriteCloser) {
		var b bytes.Buffer
		w := begin(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all[name] = b.String()
	}
	encode("gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	encode("deflate", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	encode("deflate, bare", func(w io.Writer) io.WriteCloser {
		bare, err := flate.NewWriter(w, 6)
		if err != nil {
			t.Fatal(err)
		}
		return bare
	})
	encode("br", func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
	encode("zstd", func(w io.Writer) io.WriteCloser {
		encoder, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return encoder
	})
	return all
}

// TestDecoded takes codings off, and gives what is no such coding as it is.
func TestDecoded(t *testing.T) {
	text := strings.Repeat("hello, world. ", 1000)
	type row struct {
		name, coding, body, want string
		err                      error
		plain                    bool
	}
	rows := []row{
		{name: "none", coding: "", body: "hello", want: "hello"},
		{name: "identity", coding: "identity", body: "hello", want: "hello"},
		{name: "unknown", coding: "utf-8", body: "hello", want: "hello"},
		{name: "nothing", coding: "gzip", body: "", want: ""},
		{name: "a dictionary", coding: "dcz", body: "hello", err: ErrCoding},
		{name: "too many", coding: "gzip, gzip, gzip", body: "hello", err: ErrCoding},
	}
	for name, body := range codedTexts(t, text) {
		coding, _, _ := strings.Cut(name, ",")
		rows = append(rows,
			row{name: name, coding: coding, body: body, want: text},
			row{name: name + ", in other letters", coding: " " + strings.ToUpper(coding) + " ", body: body,
				want: text},
			row{name: name + ", cut", coding: coding, body: body[:len(body)*2/3], err: ErrCoding},
		)
		if name == "gzip" {
			twice := codedTexts(t, body)["br"]
			rows = append(rows,
				row{name: "gzip, cut in its header", coding: coding, body: body[:5], err: ErrCoding},
				row{name: "x-gzip", coding: "x-gzip", body: body, want: text},
				row{name: "gzip and more", coding: "gzip", body: body + "garbage", want: text},
				row{name: "gzip in br", coding: "gzip, br", body: twice, want: text},
				row{name: "br that is gzip", coding: "gzip, br", body: body, want: text, plain: true})
		}
	}
	for _, coding := range []string{"gzip", "br", "zstd", "deflate"} {
		rows = append(rows, row{name: coding + " that is none", coding: coding,
			body: "<html>hello</html>", want: "<html>hello</html>", plain: true})
	}
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			block := "HTTP/1.1 200 OK\r\nContent-Encoding: " + c.coding + "\r\n\r\n"
			got := responseIn(t, block+c.body)
			defer got.Close()
			plain, err := got.IsDecoded()
			if plain != c.plain || err != nil {
				t.Errorf("decoded already: %v, %v", plain, err)
			}
			if body := all(t, got.Body); body != c.body {
				t.Errorf("body %q behind IsDecoded", body)
			}
			if err := got.again(); err != nil {
				t.Fatal(err)
			}
			in, err := got.Decoded()
			var is []byte
			if err == nil {
				is, err = io.ReadAll(in)
				if _, again := in.Read(make([]byte, 1)); again != cmp.Or(err, io.EOF) {
					t.Errorf("%v, and then %v", err, again)
				}
			}
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("%v", err)
			}
			if c.err == nil && string(is) != c.want || !strings.HasPrefix(c.want+text, string(is)) {
				t.Errorf("%d bytes: %.100q", len(is), is)
			}
		})
	}
}

// responseIn returns the response with that block, from the file of another tool.
func responseIn(t testing.TB, block string) *Response {
	t.Helper()
	const url = "http://example.com/"
	files, _ := imported(t, map[string][]byte{"a.warc.gz": foreign.Gzip(rawResponse(url, block))})
	c := captures(t, files.index, url)[0]
	r, err := files.Response(&c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rawResponse is response for a block with any bytes.
func rawResponse(url, block string) string {
	text := response(url, "Content-Type: application/http; msgtype=response", strings.Repeat("x", len(block)))
	return strings.TrimSuffix(text, strings.Repeat("x", len(block))+"\r\n\r\n") + block + "\r\n\r\n"
}

// zeros are so many zeros.
type zeros int64

func (z *zeros) Read(p []byte) (int, error) {
	n := min(int64(len(p)), int64(*z))
	if *z -= zeros(n); n == 0 {
		return 0, io.EOF
	}
	clear(p[:n])
	return int(n), nil
}

// TestBombs: a body that stands for a thousand times as many bytes is read piece by piece.
func TestBombs(t *testing.T) {
	const size = 256 << 20
	var gz bytes.Buffer
	w, err := gzip.NewWriterLevel(&gz, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	source := zeros(size)
	if _, err := io.Copy(w, &source); err != nil {
		t.Fatal(err)
	}
	w.Close()
	var zst bytes.Buffer
	encoder, err := zstd.NewWriter(&zst, zstd.WithWindowSize(maxWindow))
	if err != nil {
		t.Fatal(err)
	}
	source = size
	if _, err := io.Copy(encoder, &source); err != nil {
		t.Fatal(err)
	}
	encoder.Close()
	for coding, body := range map[string]string{"gzip": gz.String(), "zstd": zst.String()} {
		got := responseIn(t, "HTTP/1.1 200 OK\r\nContent-Encoding: "+coding+"\r\n\r\n"+body)
		in, err := got.Decoded()
		if err != nil {
			t.Fatal(err)
		}
		took := heapBehind(func() {
			if n, err := io.Copy(io.Discard, in); n != size || err != nil {
				t.Errorf("%s: %d bytes, %v", coding, n, err)
			}
		})
		if took > 64<<20 {
			t.Errorf("%s: %d MB were allocated", coding, took>>20)
		}
		got.Close()
	}
	// a frame that wants more memory than a browser gives
	zst.Reset()
	if encoder, err = zstd.NewWriter(&zst, zstd.WithWindowSize(16*maxWindow)); err != nil {
		t.Fatal(err)
	}
	source = 2 * maxWindow
	if _, err := io.Copy(encoder, &source); err != nil {
		t.Fatal(err)
	}
	encoder.Close()
	got := responseIn(t, "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n"+zst.String())
	defer got.Close()
	in, err := got.Decoded()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, in); n > int64(zst.Len()) {
		t.Errorf("%d bytes of a window of %d, %v", n, 16*maxWindow, err)
	}
}

// heapBehind returns how many bytes f has allocated.
func heapBehind(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
