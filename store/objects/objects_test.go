package objects

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/objects/gateway"
)

// least is how long a part is at least.
const least = 5 << 20

// opened is the storage at an endpoint.
func opened(t *testing.T, endpoint string) *Storage {
	t.Helper()
	gateway.Use(t, endpoint)
	t.Setenv("AWS_MAX_ATTEMPTS", "3")
	s, err := open(t.Context(), 5*time.Second, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// content is n bytes that nothing compresses, others for each seed.
func content(seed byte, n int) []byte {
	bytes := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(bytes)
	return bytes
}

func upload(key string, body []byte) Upload {
	return Upload{Bucket: gateway.Bucket, Key: key, Body: bytes.NewReader(body), Size: int64(len(body)),
		PartSize: least}
}

// TestPut: what is put is there, is verified, is read as a whole and in pieces, is listed, and
// goes.
func TestPut(t *testing.T) {
	server := gateway.Run(t)
	s := opened(t, server.Endpoint)
	for _, c := range []struct {
		name string
		size int
	}{{"empty", 0}, {"small", 1000}, {"whole", least}, {"parts", 2*least + 12345}} {
		t.Run(c.name, func(t *testing.T) {
			body, key := content(1, c.size), "p/x y+ü%/"+c.name+".warc.gz"
			remote, err := s.Put(t.Context(), upload(key, body))
			if err != nil {
				t.Fatal(err)
			}
			if remote.SHA256 != sha256.Sum256(body) || remote.Size != int64(c.size) || remote.ETag == "" {
				t.Errorf("noted: %+v", remote)
			}
			stored, err := os.ReadFile(filepath.Join(server.Dir, gateway.Bucket, key))
			if err != nil || !bytes.Equal(stored, body) {
				t.Errorf("the other side has %d bytes, %v", len(stored), err)
			}
			if err := s.verify(t.Context(), remote); err != nil {
				t.Error(err)
			}
			readAll(t, s, remote, body)
			again, err := s.Put(t.Context(), upload(key, body))
			if err != nil || again.ETag != remote.ETag {
				t.Errorf("once more: %+v, %v", again, err)
			}
			listed(t, s, Place{gateway.Bucket, "p"}, key)
			if err := s.Delete(t.Context(), remote.Bucket, key, "another"); !errors.Is(err, ErrChanged) {
				t.Errorf("another one is deleted: %v", err)
			}
			if err := s.Delete(t.Context(), remote.Bucket, key, remote.ETag); err != nil {
				t.Error(err)
			}
			if err := s.Delete(t.Context(), remote.Bucket, key, remote.ETag); err != nil {
				t.Errorf("once more: %v", err)
			}
			if err := s.verify(t.Context(), remote); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what was deleted: %v", err)
			}
		})
	}
}

// readAll reads an object in all ways.
func readAll(t *testing.T, s *Storage, remote *store.Remote, body []byte) {
	t.Helper()
	stream, err := s.Stream(t.Context(), remote, int64(len(body)/3))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(stream)
	if err != nil || !bytes.Equal(got, body[len(body)/3:]) {
		t.Errorf("the stream has %d bytes, %v", len(got), err)
	}
	stream.Close()
	reader := s.Reader(remote).WithContext(t.Context())
	got, err = io.ReadAll(io.NewSectionReader(reader, 0, reader.Size()))
	if err != nil || !bytes.Equal(got, body) {
		t.Errorf("the reader has %d bytes, %v", len(got), err)
	}
	piece := make([]byte, 100)
	n, err := reader.ReadAt(piece, int64(max(0, len(body)-50)))
	if err != io.EOF || !bytes.Equal(piece[:n], body[max(0, len(body)-50):]) {
		t.Errorf("the end has %d bytes, %v", n, err)
	}
}

func listed(t *testing.T, s *Storage, place Place, key string) {
	t.Helper()
	for o, err := range s.List(t.Context(), place) {
		if err != nil {
			t.Fatal(err)
		}
		if o.Key == key {
			return
		}
	}
	t.Errorf("%s is not listed", key)
}

// TestTaken: an object of other content is left as it is, unless it is to be replaced.
func TestTaken(t *testing.T) {
	s := opened(t, gateway.Run(t).Endpoint)
	for _, size := range []int{1000, least + 1} {
		first, err := s.Put(t.Context(), upload("taken", content(1, size)))
		if err != nil {
			t.Fatal(err)
		}
		up := upload("taken", content(2, size))
		if _, err := s.Put(t.Context(), up); !errors.Is(err, ErrTaken) {
			t.Errorf("%d: %v", size, err)
		}
		if err := s.verify(t.Context(), first); err != nil {
			t.Errorf("what was there: %v", err)
		}
		up.Replaces = true
		second, err := s.Put(t.Context(), up)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.verify(t.Context(), first); !errors.Is(err, ErrChanged) {
			t.Errorf("what was replaced: %v", err)
		}
		_, err = s.Reader(first).ReadAt(make([]byte, 10), 0)
		if !errors.Is(err, ErrChanged) {
			t.Errorf("what was replaced is read: %v", err)
		}
		if err := s.Delete(t.Context(), second.Bucket, second.Key, second.ETag); err != nil {
			t.Error(err)
		}
	}
}

// TestResume: an upload that was cut off after each of its parts goes on with those that are there.
func TestResume(t *testing.T) {
	s := opened(t, gateway.Run(t).Endpoint)
	body := content(3, 3*least+1)
	for cut := range 5 { // at the begin, then after each part
		var kept *Begun
		up := upload("resumed", body)
		ctx, cancel := context.WithCancel(t.Context())
		up.Keep = func(b *Begun) error {
			if kept = b; len(b.Parts) >= cut {
				cancel()
			}
			return ctx.Err()
		}
		_, err := s.Put(ctx, up)
		if !errors.Is(err, context.Canceled) || kept == nil || len(kept.Parts) < cut {
			t.Fatalf("cut off after %d: %v, %+v", cut, err, kept)
		}
		var sent int64
		up = upload("resumed", body)
		up.Begun, up.Sent = kept, counted(&sent)
		remote, err := s.Put(t.Context(), up)
		if err != nil {
			t.Fatal(err)
		}
		var there int64
		for _, p := range kept.Parts {
			there += p.Size
		}
		if sent != int64(len(body))-there {
			t.Errorf("after %d parts %d bytes are sent, %d were there", len(kept.Parts), sent, there)
		}
		readAll(t, s, remote, body)
		if err := s.Delete(t.Context(), remote.Bucket, remote.Key, remote.ETag); err != nil {
			t.Fatal(err)
		}
	}
}
