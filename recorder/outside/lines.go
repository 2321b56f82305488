package outside

import (
	"bytes"
	"cmp"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"warcorder/store"
)

// capture is a line of a CDX server, of a response to a GET for the URL that was asked for.
type capture struct {
	sha1   [20]byte
	digest string // as the line spells it, with its label
	status int
	time   time.Time // in whole seconds
}

// original is the capture as a revisit names it.
func (c *capture) original(url string) store.Original {
	return store.Original{URL: url, Time: c.time, Seconds: true, Digest: c.digest}
}

// parseAnswer reads the lines of an answer, of which cut says that the last one may not be whole. Of
// each content the last capture is kept, the last of all first.
func parseAnswer(text []byte, cut bool, url string) (all []capture, err error) {
	if cut {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 || bytes.HasPrefix(line, []byte(" CDX ")) {
			continue
		}
		c, usable, err := parseLine(line, url)
		if err != nil {
			return nil, err
		}
		if usable {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b capture) int {
		return cmp.Or(a.status-b.status, bytes.Compare(a.sha1[:], b.sha1[:]), b.time.Compare(a.time))
	})
	all = slices.CompactFunc(all, func(a, b capture) bool {
		return a.status == b.status && a.sha1 == b.sha1
	})
	slices.SortStableFunc(all, func(a, b capture) int { return b.time.Compare(a.time) })
	return slices.Clone(all[:min(len(all), mostCaptures)]), nil
}

var errLines = errors.New("its answer holds no lines of CDX: is there a CDX server at this address?")

// said is what a line says of a capture.
type said struct{ url, mime, status, digest, method string }

// parseLine reads a line of CDXJ, or one of CDX in the usual order of its fields: key, time, URL, media
// type, status, digest. It is usable if a revisit may name what it is of.
func parseLine(line []byte, url string) (c capture, usable bool, err error) {
	key, rest, _ := bytes.Cut(line, []byte(" "))
	stamp, rest, _ := bytes.Cut(rest, []byte(" "))
	c.time, err = time.Parse("20060102150405", string(stamp[:min(len(stamp), 15)]))
	if err != nil {
		return c, false, errLines
	}
	s, isLine := saidOf(rest)
	if !isLine {
		return c, false, errLines
	}
	isGet := (s.method == "" || s.method == "GET") && !bytes.Contains(key, []byte("__wb_method="))
	c.status, err = strconv.Atoi(s.status)
	sum, isSHA1 := sha1Of(s.digest)
	if err != nil || !isSHA1 || !isGet || s.url != url || s.mime == "warc/revisit" {
		return c, false, nil
	}
	c.sha1, c.digest = sum, strings.Clone(s.digest) // and not all of the line
	if !strings.Contains(c.digest, ":") {
		c.digest = "sha1:" + c.digest
	}
	return c, true, nil
}

// saidOf reads what stands behind the time.
func saidOf(rest []byte) (s said, isLine bool) {
	if bytes.HasPrefix(rest, []byte("{")) {
		var fields struct {
			URL, Mime, Digest, Method string
			Status                    json.RawMessage // a number, or its text
		}
		if json.Unmarshal(rest, &fields) != nil {
			return s, false
		}
		status := strings.Trim(string(fields.Status), `"`)
		return said{fields.URL, fields.Mime, status, fields.Digest, fields.Method}, true
	}
	fields := strings.Fields(string(rest))
	if len(fields) < 4 {
		return s, false
	}
	return said{url: fields[0], mime: fields[1], status: fields[2], digest: fields[3]}, true
}

// sha1Of reads a SHA-1 in base32 or in hexadecimal digits, with its label or without.
func sha1Of(digest string) (sum [20]byte, ok bool) {
	text := digest
	if label, value, labelled := strings.Cut(digest, ":"); labelled {
		if !strings.EqualFold(label, "sha1") {
			return sum, false
		}
		text = value
	}
	var b []byte
	var err error
	switch len(text) {
	case base32.StdEncoding.EncodedLen(len(sum)):
		b, err = base32.StdEncoding.DecodeString(strings.ToUpper(text))
	case hex.EncodedLen(len(sum)):
		b, err = hex.DecodeString(text)
	}
	return [20]byte(append(b, sum[:]...)), err == nil && len(b) == len(sum)
}
