package uploading

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/verify"
)

// looksAgain lets verify look at the other side, and note what is to be sent anew.
func (r *recording) looksAgain() {
	r.t.Helper()
	r.close()
	found := 0
	checker := verify.Checker{TempDir: r.t.TempDir(), Remote: true,
		Report: func(f verify.Finding) {
			if f.Code == verify.Object {
				found++
			}
		},
		Lost: func(remote *store.Remote) {
			name := remote.Key[strings.LastIndexByte(remote.Key, '/')+1:]
			if err := r.dir.WriteNote(r.dir.AgainNote(name), 0, remote); err != nil {
				r.t.Error(err)
			}
		}}
	if _, err := checker.Collection(r.dir); err != nil || found != 1 {
		r.t.Errorf("%d findings, %v", found, err)
	}
	r.open()
}

// TestSentAgain: what verify has found to be damaged at the other side, or gone, is sent anew, though the
// storage says that it is what it was; and before that no local copy goes.
func TestSentAgain(t *testing.T) {
	for name, harm := range map[string]func(*recording, string){
		"damaged": func(r *recording, file string) {
			f, err := os.OpenFile(r.object(file), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			one := make([]byte, 1)
			if _, err := f.ReadAt(one, 1000); err != nil {
				t.Fatal(err)
			}
			one[0] ^= 1
			if _, err := f.WriteAt(one, 1000); err != nil {
				t.Fatal(err)
			}
		},
		"gone": (*recording).drop,
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			file := r.file("https://example.com/", 3000)
			r.lined("")
			harm(r, file)
			r.looksAgain()
			if done := r.round("0"); done.Files != 1 || done.Released != 1 {
				t.Errorf("%+v", done)
			}
			if again, err := r.dir.Again(); err != nil || len(again) > 0 {
				t.Errorf("%v, %v", again, err)
			}
			r.readable()
			r.settled(true)
			r.verified()
		})
	}
}

// TestSentAgainUndeleted: so is it without the right to delete, where lines lie beside the object.
func TestSentAgainUndeleted(t *testing.T) {
	r := start(t)
	file := r.file("https://example.com/", 3000)
	r.lined("")
	f, _ := r.Index().File(file)
	if err := r.dir.WriteNote(r.dir.AgainNote(file), 0, f.Remote); err != nil {
		t.Fatal(err)
	}
	storage := stand(t, r.storage.Endpoint)
	r.up = New(r.dir, r.Index, zerolog.Nop())
	storage.breaks(func(w http.ResponseWriter, req *http.Request) bool {
		return req.Method == http.MethodDelete && refuse(w, http.StatusForbidden, "AccessDenied")
	})
	wants := r.wants("0")
	wants.CDXJ = true
	if done, err := r.up.Round(t.Context(), wants, true, nil); err != nil || done.Files != 1 || len(done.Failed) > 0 {
		t.Errorf("%+v, %v", done, err)
	}
	r.readable()
	r.settled(true)
}

// TestNotSentAgain: a file that is not what was uploaded either takes the place of nothing.
func TestNotSentAgain(t *testing.T) {
	r := start(t)
	file := r.file("https://example.com/", 3000)
	r.round("")
	body, err := os.ReadFile(r.dir.WARC(file))
	if err != nil {
		t.Fatal(err)
	}
	body[1000] ^= 1
	if err := os.WriteFile(r.dir.WARC(file), body, 0o600); err != nil {
		t.Fatal(err)
	}
	f, _ := r.Index().File(file)
	if err := r.dir.WriteNote(r.dir.AgainNote(file), 0, f.Remote); err != nil {
		t.Fatal(err)
	}
	done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
	if now, _ := os.ReadFile(r.object(file)); bytes.Equal(now, body) || len(done.Failed) != 1 || !r.isHere(file) {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestFormerOnesUnanswered: former copies of which the storage gives no answer keep nothing from being sent.
func TestFormerOnesUnanswered(t *testing.T) {
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	r := start(t)
	r.hushed()
	r.hushed()
	r.round("")
	r.removes()
	r.prefix = "other"
	next := r.file("https://example.com/next", 3000)
	storage := stand(t, r.storage.Endpoint)
	r.up = New(r.dir, r.Index, zerolog.Nop())
	storage.breaks(func(w http.ResponseWriter, req *http.Request) bool {
		return req.Method == http.MethodDelete && refuse(w, http.StatusInternalServerError, "InternalError")
	})
	done, err := r.up.Round(t.Context(), r.wants(""), true, nil)
	if f, _ := r.Index().File(next); f.Remote == nil || err != nil || len(done.Failed) != 4 {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestEndIsNoError: what waits when a recorder ends is not told of as what failed.
func TestEndIsNoError(t *testing.T) {
	r := start(t)
	for i := range 3 {
		r.file(fmt.Sprint("https://example.com/", i), 3000)
	}
	storage := stand(t, r.storage.Endpoint)
	r.up = New(r.dir, r.Index, zerolog.Nop())
	begun := make(chan struct{}, 100)
	storage.breaks(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPut {
			return false
		}
		_, _ = io.Copy(io.Discard, req.Body) // or nobody would see that the connection ends
		begun <- struct{}{}
		<-req.Context().Done()
		return true
	})
	up := r.up
	go func() { <-begun; up.Close() }()
	if done, err := up.Round(t.Context(), r.wants(""), true, nil); err == nil || len(done.Failed) > 0 {
		t.Errorf("%+v, %v", done, err)
	}
	r.up = New(r.dir, r.Index, zerolog.Nop()) // which the recording closes
}
