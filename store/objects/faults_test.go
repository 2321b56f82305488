package objects

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/objects/gateway"
)

// between starts what stands between a client and a storage. fault answers itself, and returns
// true, or changes the request and leaves the answer to the storage, or to change, if it is not
// nil.
func between(t *testing.T, to string, fault func(http.ResponseWriter, *http.Request) bool,
	change func(*http.Response) error) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{ErrorLog: log.New(io.Discard, "", 0), ModifyResponse: change,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // it is signed
		}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault == nil || !fault(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// refuse answers as S3 does.
func refuse(w http.ResponseWriter, status int, code string) bool {
	w.WriteHeader(status)
	io.WriteString(w, "<Error><Code>"+code+"</Code><Message>m</Message></Error>")
	return true
}

// cut breaks the connection off.
func cut(w http.ResponseWriter) bool { panic(http.ErrAbortHandler) }

// TestUploadFaults: whatever happens on the way, an upload comes to what was sent, or to an error
// and nothing.
func TestUploadFaults(t *testing.T) {
	server := gateway.Run(t)
	body := content(5, least+100)
	var count atomic.Int32
	lost := func(method, query string) func(*http.Response) error {
		return func(r *http.Response) error {
			is := r.Request.Method == method && strings.Contains(r.Request.URL.RawQuery, query)
			if is && r.StatusCode == http.StatusOK && count.Add(1) == 1 {
				return http.ErrAbortHandler // the answer is lost: what comes instead is a 502
			}
			return nil
		}
	}
	flip := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader("!"), skip(r.Body, 1)))
		}
		return false
	}
	for _, c := range []struct {
		name   string
		size   int
		fault  func(http.ResponseWriter, *http.Request) bool
		change func(*http.Response) error
		want   error
	}{
		{"slow down, then not", len(body), func(w http.ResponseWriter, _ *http.Request) bool {
			return count.Add(1) <= 2 && refuse(w, http.StatusServiceUnavailable, "SlowDown")
		}, nil, nil},
		{"slow down for ever", 100, func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, http.StatusServiceUnavailable, "SlowDown")
		}, nil, ErrUnreachable},
		{"no bucket", 100, func(w http.ResponseWriter, r *http.Request) bool {
			return r.Method == http.MethodPut && refuse(w, http.StatusNotFound, "NoSuchBucket")
		}, nil, ErrRefused},
		{"denied", 100, func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, http.StatusForbidden, "AccessDenied")
		}, nil, ErrRefused},
		{"cut off once", len(body), func(w http.ResponseWriter, _ *http.Request) bool {
			return count.Add(1) == 2 && cut(w)
		}, nil, nil},
		{"cut off for ever", 100, func(w http.ResponseWriter, _ *http.Request) bool { return cut(w) }, nil,
			ErrUnreachable},
		{"other bytes arrive, whole", 100, flip, nil, ErrUnreachable},
		{"other bytes arrive, parts", len(body), flip, nil, ErrUnreachable},
		{"the answer is lost, whole", 100, nil, lost(http.MethodPut, ""), nil},
		{"the answer is lost, complete", len(body), nil, lost(http.MethodPost, "uploadId"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			count.Store(0)
			s := opened(t, between(t, server.Endpoint, c.fault, c.change))
			key := strings.ReplaceAll(c.name, " ", "-")
			remote, err := s.Put(t.Context(), upload(key, body[:c.size]))
			there, missing := os.ReadFile(filepath.Join(server.Dir, gateway.Bucket, key))
			if c.want != nil {
				if !errors.Is(err, c.want) || missing == nil {
					t.Errorf("%v; %d bytes are there", err, len(there))
				}
				t.Log(err)
				return
			}
			if err != nil || !bytes.Equal(there, body[:c.size]) || remote.Size != int64(c.size) {
				t.Errorf("%v; %d bytes are there", err, len(there))
			}
		})
	}
}

// skip is what follows the first n bytes.
func skip(r io.Reader, n int64) io.Reader {
	io.CopyN(io.Discard, r, n)
	return r
}

// TestPlainStorage: one that refuses checksums and conditions has what was sent all the same, and
// no request has a trailer, or a body whose sum is not signed.
func TestPlainStorage(t *testing.T) {
	server := gateway.Run(t)
	var bad atomic.Int32
	s := opened(t, between(t, server.Endpoint, func(w http.ResponseWriter, r *http.Request) bool {
		sum := r.Header.Get("X-Amz-Content-Sha256")
		if r.Header.Get("X-Amz-Trailer") != "" || len(sum) != 64 || len(r.TransferEncoding) > 0 {
			bad.Add(1)
		}
		for _, name := range []string{"X-Amz-Checksum-Sha256", "X-Amz-Checksum-Mode", "If-None-Match",
			"X-Amz-Checksum-Algorithm"} {
			if r.Header.Get(name) != "" {
				return refuse(w, http.StatusNotImplemented, "NotImplemented")
			}
		}
		return false
	}, nil))
	for _, size := range []int{100, 2*least + 1} {
		remote, err := s.Put(t.Context(), upload("plain", content(6, size)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.verify(t.Context(), remote); err != nil {
			t.Error(err)
		}
		if _, err := s.Put(t.Context(), upload("plain", content(7, size))); !errors.Is(err, ErrTaken) {
			t.Errorf("another one: %v", err)
		}
		// Other bytes of the same length and ETag are found, since the whole is read.
		wrong := *remote
		wrong.SHA256[0]++
		if err := s.verify(t.Context(), &wrong); !errors.Is(err, ErrChanged) {
			t.Errorf("other bytes: %v", err)
		}
		if err := s.Delete(t.Context(), remote.Bucket, remote.Key, remote.ETag); err != nil {
			t.Error(err)
		}
	}
	if bad.Load() > 0 {
		t.Errorf("%d requests had a trailer, or a body whose sum is not signed", bad.Load())
	}
}

// TestUnknownUpload: one that the other side has forgotten begins anew.
func TestUnknownUpload(t *testing.T) {
	s := opened(t, gateway.Run(t).Endpoint)
	up := upload("forgotten", content(8, least+1))
	var kept *Begun
	up.Keep = func(b *Begun) error { kept = b; return errors.New("stop") }
	if _, err := s.Put(t.Context(), up); err == nil || kept == nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Abort(t.Context(), kept); err != nil {
			t.Fatal(err)
		}
	}
	up.Begun, up.Keep = kept, nil
	if _, err := s.Put(t.Context(), up); err != nil {
		t.Error(err)
	}
}

// cutting is an answer that breaks off after some bytes.
type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(p []byte) (int, error) {
	if len(p) > c.left {
		c.ResponseWriter.Write(p[:c.left])
		http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

// TestReadFaults: what is read is what was asked for, or an error, in bounded memory and time.
func TestReadFaults(t *testing.T) {
	const size = 3 * blockSize
	body := content(9, size)
	endless := func(w http.ResponseWriter) bool {
		for {
			if _, err := w.Write(body); err != nil {
				return true
			}
		}
	}
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request) bool
		want   error
	}{
		{"as it is", func(http.ResponseWriter, *http.Request) bool { return false }, nil},
		{"cut off now and then", func(w http.ResponseWriter, r *http.Request) bool {
			http.ServeContent(&cutting{w, blockSize + 1000}, r, "", time.Time{}, bytes.NewReader(body))
			return true
		}, nil},
		{"gone", func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, http.StatusNotFound, "NoSuchKey")
		}, os.ErrNotExist},
		{"another one", func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("ETag", `"other"`)
			return false
		}, ErrChanged},
		{"condition fails", func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		}, ErrChanged},
		{"other bytes", func(w http.ResponseWriter, r *http.Request) bool {
			r.Header.Set("Range", "bytes=7-90")
			return false
		}, ErrChanged},
		{"endless error", func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusForbidden)
			return endless(w)
		}, ErrRefused},
		{"redirect", func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://127.0.0.2:1/elsewhere", http.StatusTemporaryRedirect)
			return true
		}, ErrRefused},
		{"silent", func(_ http.ResponseWriter, r *http.Request) bool {
			<-r.Context().Done()
			return true
		}, ErrUnreachable},
		{"silent in the midst", func(w http.ResponseWriter, r *http.Request) bool {
			left := 0
			if strings.HasPrefix(r.Header.Get("Range"), "bytes=0-") {
				left = 100
			}
			http.ServeContent(&stopping{w, left, r}, r, "", time.Time{}, bytes.NewReader(body))
			return true
		}, ErrUnreachable},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"tag"`)
				if !c.answer(w, r) {
					http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
				}
			}))
			defer server.Close()
			gateway.Use(t, server.URL)
			t.Setenv("AWS_MAX_ATTEMPTS", "1")
			silence := time.Minute
			if c.want == ErrUnreachable {
				silence = 300 * time.Millisecond
			}
			s, err := open(t.Context(), time.Hour, silence)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			reader := s.Reader(&store.Remote{Bucket: "bucket", Key: "key", Size: size, ETag: "tag"})
			got, err := io.ReadAll(io.NewSectionReader(reader, 0, size))
			if c.want == nil && (err != nil || !bytes.Equal(got, body)) || !errors.Is(err, c.want) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			got, err = io.ReadAll(s.stream(t.Context(), reader.remote, 0))
			if c.want == nil && (err != nil || !bytes.Equal(got, body)) || !errors.Is(err, c.want) {
				t.Errorf("the stream: %d bytes, %v", len(got), err)
			}
		})
	}
}

// stopping is a server that goes silent after some bytes of a body.
type stopping struct {
	http.ResponseWriter
	left int
	r    *http.Request
}

func (s *stopping) Write(p []byte) (int, error) {
	n, err := s.ResponseWriter.Write(p[:min(len(p), s.left)])
	if s.left -= n; s.left > 0 || err != nil {
		return n, err
	}
	err = http.NewResponseController(s.ResponseWriter).Flush()
	<-s.r.Context().Done()
	return n, errors.Join(err, s.r.Context().Err())
}
