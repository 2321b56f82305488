package readback

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// counted counts how often it is read.
type counted struct {
	*strings.Reader
	reads int
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	c.reads++
	return c.Reader.ReadAt(p, at)
}

// TestSmallChunks: an origin that sends each byte in a chunk of its own has no reading of the file
// for each.
func TestSmallChunks(t *testing.T) {
	const many = 100_000
	body := strings.Repeat("1\r\nx\r\n", many) + "3\r\nend\r\n0\r\n\r\n"
	raw := &counted{Reader: strings.NewReader(body)}
	r := &Response{Size: int64(len(body))}
	section, err := r.behindChunks(context.Background(), raw, many+1, 9)
	if err != nil {
		t.Fatal(err)
	}
	if raw.reads > len(body)/1000 {
		t.Errorf("%d readings of %d bytes", raw.reads, len(body))
	}
	if rest, err := io.ReadAll(section); string(rest) != "nd" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	if _, err := r.behindChunks(context.Background(), raw, many+4, 1); err == nil {
		t.Error("a section behind the end")
	}
}

// TestSectionEnds: who has gone is not waited for until what lies before a section has been read.
func TestSectionEnds(t *testing.T) {
	gone, leave := context.WithCancel(context.Background())
	leave()
	response := responseIn(t, "HTTP/1.1 200 OK\r\n\r\nhello")
	defer response.Close()
	if _, err := response.Section(gone, 2, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	raw := strings.NewReader("5\r\nhello\r\n0\r\n\r\n")
	chunked := &Response{Size: raw.Size()}
	if _, err := chunked.behindChunks(gone, raw, 2, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
