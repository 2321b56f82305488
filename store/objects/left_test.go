package objects

import (
	"bytes"
	"errors"
	"net/http"
	"testing"

	"warcorder/store/objects/gateway"
)

// TestLeftParts: parts of an upload with which nobody goes on, since the file is short by now, are not left.
func TestLeftParts(t *testing.T) {
	s := opened(t, gateway.Run(t).Endpoint)
	var begun *Begun
	ended := errors.New("ended")
	up := upload("left", content(1, 2*least+10))
	up.PartSize = least
	up.Keep = func(b *Begun) error {
		begun = b
		return ended // before any part is on its way
	}
	if _, err := s.Put(t.Context(), up); !errors.Is(err, ended) || begun == nil {
		t.Fatalf("%+v, %v", begun, err)
	}
	if there, err := s.parts(t.Context(), begun); err != nil {
		t.Fatalf("%d parts, %v", len(there), err)
	}
	short := content(2, 1000)
	up = upload("left", short)
	up.Body, up.Size, up.Begun = bytes.NewReader(short), int64(len(short)), begun
	if _, err := s.Put(t.Context(), up); err != nil {
		t.Fatal(err)
	}
	if there, err := s.parts(t.Context(), begun); !errors.Is(err, errNoUpload) {
		t.Errorf("%d parts are left, %v", len(there), err)
	}
}

// TestPlainDelete: where DELETE takes no condition, what else takes some has them still.
func TestPlainDelete(t *testing.T) {
	server := gateway.Run(t)
	conditions := 0
	s := opened(t, between(t, server.Endpoint, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && r.Header.Get("If-None-Match") == "*" {
			conditions++
		}
		return r.Method == http.MethodDelete && r.Header.Get("If-Match") != "" &&
			refuse(w, http.StatusNotImplemented, "NotImplemented")
	}, nil))
	for range 2 {
		one, err := s.Put(t.Context(), upload("one", content(1, 10)))
		if err == nil {
			err = s.Delete(t.Context(), one.Bucket, one.Key, one.ETag)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if conditions != 2 {
		t.Errorf("%d of 2 had a condition", conditions)
	}
}

// TestDeleteNowhere: nothing is deleted in a bucket that is not there.
func TestDeleteNowhere(t *testing.T) {
	s := opened(t, gateway.Run(t).Endpoint)
	if err := s.Delete(t.Context(), "no-such-bucket", "a", "b"); !errors.Is(err, ErrRefused) {
		t.Error(err)
	}
}

// TestOver: only the object with that ETag is written over, and only what has the mark tells of it.
func TestOver(t *testing.T) {
	s := opened(t, gateway.Run(t).Endpoint)
	put := func(seed byte, over, mark string) (etag, is string, err error) {
		up := upload("over", content(seed, 100))
		up.Over, up.Mark = over, mark
		remote, err := s.Put(t.Context(), up)
		if err != nil {
			return "", "", err
		}
		return remote.ETag, remote.Mark, nil
	}
	first, mark, err := put(1, "", "one")
	if err != nil || mark != "one" {
		t.Fatalf("%q, %v", mark, err)
	}
	if _, _, err := put(2, "another", "two"); !errors.Is(err, ErrTaken) {
		t.Error(err)
	}
	if _, mark, err := put(1, "", "two"); err != nil || mark != "one" {
		t.Errorf("%q, %v", mark, err)
	}
	if _, mark, err := put(2, first, "two"); err != nil || mark != "two" {
		t.Errorf("%q, %v", mark, err)
	}
}
