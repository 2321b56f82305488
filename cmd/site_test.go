package cmd

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// content is what the origin answers to a path: one that begins with /text/ deflates to about a
// quarter, others not at all. The last number of the path is its size.
func content(path string) []byte {
	random := rand.NewChaCha8(sha256.Sum256([]byte(path)))
	size, err := strconv.Atoi(path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		panic(path)
	}
	body := make([]byte, size)
	random.Read(body)
	if !strings.HasPrefix(path, "/text/") {
		return body
	}
	words := bytes.Repeat([]byte("words of a page "), 3<<10>>4)
	for at := 1 << 10; at < size; at += 4 << 10 {
		copy(body[at:], words)
	}
	return body
}

// site is an origin, with and without TLS. What it answers depends on the path alone; what is
// posted to it is in a header of the answer.
type site struct{ plain, secure *httptest.Server }

// fromSite marks the answers of a site, to tell them from the recorder's own.
const fromSite = "Site"

func newSite(t *testing.T) *site {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posted := sha1.New()
		io.Copy(posted, r.Body)
		body := content(r.URL.Path)
		w.Header().Set(fromSite, fmt.Sprintf("%x", posted.Sum(nil)))
		w.Header().Set("Content-Type", "application/octet-stream")
		if len(body)%2 == 0 {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.Write(body[:len(body)/2])
		w.(http.Flusher).Flush() // of an odd length comes in chunks
		w.Write(body[len(body)/2:])
	})
	s := &site{httptest.NewServer(page), httptest.NewUnstartedServer(page)}
	t.Cleanup(s.plain.Close)
	t.Cleanup(s.secure.Close)
	// handshakes that a killed recorder has not ended
	s.secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.secure.StartTLS()
	return s
}

// newPages is an origin that answers with the path that is asked for.
func newPages(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "page %s", r.URL.Path)
	}))
	t.Cleanup(server.Close)
	return server
}
