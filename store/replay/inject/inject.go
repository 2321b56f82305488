// Package inject gives the scripts of a document the clock and the chance of its capture, so that
// they ask for the same twice: one script of ours stands before those of the page. Begin with
// Clock.Document.
//
// In the document, time runs on from the moment of the capture: a page that waits gets on. Chance
// (Math.random, crypto.getRandomValues, crypto.randomUUID) begins anew with each document, from a
// seed that its URL makes. What has no document of its own keeps the clock and the chance of the
// machine: workers and service workers, keys that crypto.subtle makes, and frames that have no URL.
//
// The script is ASCII, which all charsets have alike but UTF-16, for which it is written so. It is
// put where no byte of the page can have run a script before, and where it changes nothing of how
// the rest is read: behind the doctype and the head's tag, and behind the charset if that is said
// in the document. Only the first 64 KiB are looked at; the rest passes as it comes.
//
// ETag and Last-Modified stay, since they name the capture. They do not tell a changed document from
// the one that was captured, nor from one of another time: so who asks with conditions is to get all
// of it. Digests of the bytes go. A policy that forbids inline scripts allows the one by its hash; one
// that only reports is left alone, and may report it.
//
// Invariant: but for that script, the codings that were taken off and the fields that say so, a
// document is what it was; and what cannot be changed with certainty is not changed.
package inject

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
)

// window is how much of a document is looked at.
const window = 64 << 10

//go:embed clock.js
var script string

// Clock changes documents.
type Clock struct{}

// Document returns a response with the script in it. head is from the status line to the empty
// line; body is the entity without its content coding; at is when it was captured. The new head
// says nothing of codings and length: the caller frames the new body, which ends as body does. Of a
// response that is no document, or to which nothing can be added, injected is false, and both come
// back as they were.
func (c *Clock) Document(head []byte, body io.Reader, at time.Time, url string) (
	newHead []byte, newBody io.Reader, injected bool,
) {
	kind, charset, is := kindOf(head)
	if !is {
		return head, body, false
	}
	begun, err := readWindow(body)
	rest := body
	if err != nil {
		rest = failing{err}
	}
	text := scriptOf(at, url)
	place, ok := find(begun, kind, charset, err != nil)
	policies, may := allow(fieldsOf(head), text)
	if !ok || !may {
		return head, io.MultiReader(bytes.NewReader(begun), rest), false
	}
	tag := place.encode("<" + place.prefix + "script>" + text + "</" + place.prefix + "script>")
	return rewritten(policies), io.MultiReader(bytes.NewReader(begun[:place.at]),
		bytes.NewReader(tag), bytes.NewReader(begun[place.at:]), rest), true
}

// IsDocument reports whether a response with that head is one that Document may change.
func (c *Clock) IsDocument(head []byte) bool {
	_, _, is := kindOf(head)
	return is
}

// scriptOf returns the script for a document. It has neither < nor &, so that it is the same in
// HTML and in XML.
func scriptOf(at time.Time, url string) string {
	sum := sha256.Sum256([]byte(url))
	var seed [4]uint32
	for i := range seed {
		seed[i] = binary.BigEndian.Uint32(sum[4*i:])
	}
	return fmt.Sprintf("%s(%d,[%d,%d,%d,%d]);", strings.TrimSpace(script), at.UnixMilli(),
		seed[0], seed[1], seed[2], seed[3])
}

// hashOf returns what a policy allows a script by (Content Security Policy, hash-source).
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// readWindow reads the beginning of a document. The error is io.EOF if that is all of it.
func readWindow(body io.Reader) ([]byte, error) {
	var begun bytes.Buffer
	n, err := io.CopyN(&begun, body, window)
	if n == window {
		err = nil
	}
	return begun.Bytes(), err
}

// failing is a body that has ended, well or not.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
