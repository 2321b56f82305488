package delta

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Token says what was exported. The zero Token is the beginning.
//
// As a text it is one word of letters, digits and "-", "_", ".": "w1." and, in base64url without
// padding, deflated:
//
//	for each file, in the order of the names:
//	  uvarint   how many bytes the name has in common with the one before
//	  uvarint   how many others follow
//	  bytes     these
//	  uvarint   committed
//	  flags(1)  1 reduced
//	  tail(8)   with reduced: what its end is
//	  uvarint   with reduced: how many tombstones are in it; 0 if that is not known
//	crc32(4)    IEEE, of all that, big endian
type Token struct{ files []file } // sorted by name

// file is what a Token says of a file.
type file struct {
	name      string
	committed int64
	reduced   bool
	tail      [8]byte // zeros if it is not known
	buried    uint64
}

// The bounds of a token: what is parsed takes some 100 MB at most, whatever the text says.
const (
	version  = "w1."
	maxRaw   = 16 << 20 // bytes of what is in it
	maxFiles = 1 << 18
	maxName  = 255

	flagReduced = 1
)

// MaxText is how many bytes a token may have as a text.
const MaxText = 16 << 20

var errToken = errors.New("this is no token, or not all of one: give what --token-file has written, or " +
	"an empty one to begin anew")

// IsZero reports whether t is the beginning.
func (t *Token) IsZero() bool { return len(t.files) == 0 }

// find returns a file by its name; nil if the token does not have it.
func (t *Token) find(name string) *file {
	i, found := slices.BinarySearchFunc(t.files, name,
		func(f file, name string) int { return cmp.Compare(f.name, name) })
	if !found {
		return nil
	}
	return &t.files[i]
}

// follows reports whether t is what old can have become without a removal.
func (t *Token) follows(old *Token) bool {
	for i := range old.files {
		f := t.find(old.files[i].name)
		if f == nil || !f.follows(&old.files[i]) {
			return false
		}
	}
	return true
}

// Or is what t says or what a later one does: of a file that has become what it was not, or is gone, what
// t says. Who has something of both is told what of it is void by what has come since.
func (t Token) Or(later Token) Token {
	either := later.clone()
	for i := range t.files {
		f := t.files[i]
		at, found := slices.BinarySearchFunc(later.files, f.name,
			func(f file, name string) int { return cmp.Compare(f.name, name) })
		switch {
		case !found:
			either.files = append(either.files, f)
		case !later.files[at].follows(&f):
			either.files[at] = f
		}
	}
	slices.SortFunc(either.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return either
}

// Has reports whether t says something of a file.
func (t *Token) Has(name string) bool { return t.find(name) != nil }

// Without is what t says of all files but those: who asks since that has all of these again.
func (t *Token) Without(names map[string]bool) Token {
	left := t.clone()
	left.files = slices.DeleteFunc(left.files, func(f file) bool { return names[f.name] })
	return left
}

func (t *Token) clone() Token { return Token{slices.Clone(t.files)} }

// follows reports whether what old says is still the beginning of the file.
func (f *file) follows(old *file) bool {
	if f.reduced != old.reduced || f.committed < old.committed {
		return false
	}
	unknown := [8]byte{}
	return !f.reduced || f.committed == old.committed &&
		(f.tail == old.tail || f.tail == unknown || old.tail == unknown)
}

// String is the token as a text.
func (t Token) String() string {
	var raw []byte
	before := ""
	for i := range t.files {
		raw = t.files[i].append(raw, before)
		before = t.files[i].name
	}
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err == nil {
		_, err = w.Write(raw)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		panic(err) // the level is known, and memory has no errors
	}
	return version + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// append appends a file whose name follows another.
func (f *file) append(dst []byte, before string) []byte {
	common := 0
	for common < min(len(before), len(f.name)) && before[common] == f.name[common] {
		common++
	}
	dst = binary.AppendUvarint(dst, uint64(common))
	dst = binary.AppendUvarint(dst, uint64(len(f.name)-common))
	dst = binary.AppendUvarint(append(dst, f.name[common:]...), uint64(f.committed))
	if !f.reduced {
		return append(dst, 0)
	}
	return binary.AppendUvarint(append(append(dst, flagReduced), f.tail[:]...), f.buried)
}

// Parse is the inverse of String; "" is the beginning.
func Parse(text string) (Token, error) {
	packed, is := strings.CutPrefix(text, version)
	switch {
	case text == "":
		return Token{}, nil
	case len(text) > MaxText:
		return Token{}, fmt.Errorf("%w (it has more than %d bytes)", errToken, MaxText)
	case !is && isVersion(text):
		return Token{}, errors.New("the token is of another version of warcorder: use that, or begin anew " +
			"with an empty one")
	case !is:
		return Token{}, errToken
	}
	deflated, err := base64.RawURLEncoding.Strict().DecodeString(packed)
	if err != nil {
		return Token{}, errToken
	}
	in := bytes.NewReader(deflated)
	raw, err := io.ReadAll(io.LimitReader(flate.NewReader(in), maxRaw+1))
	if err != nil || len(raw) < 4 || len(raw) > maxRaw || in.Len() > 0 {
		return Token{}, errToken
	}
	sum := len(raw) - 4
	if crc32.ChecksumIEEE(raw[:sum]) != binary.BigEndian.Uint32(raw[sum:]) {
		return Token{}, errToken
	}
	return parseFiles(raw[:sum])
}

// isVersion reports whether a text begins as a token of any version does.
func isVersion(text string) bool {
	number, _, found := strings.Cut(text, ".")
	return found && len(number) > 1 && len(number) < 5 && number[0] == 'w' &&
		strings.Trim(number[1:], "0123456789") == ""
}

// parseFiles parses what is in a token.
func parseFiles(raw []byte) (t Token, err error) {
	p := parser{rest: raw}
	name := ""
	for len(p.rest) > 0 {
		f := file{}
		common := p.uvarint()
		suffix := p.bytes(p.uvarint())
		f.committed = int64(p.uvarint())
		flags := p.bytes(1)
		if p.failed || common > uint64(len(name)) || int(common)+len(suffix) > maxName ||
			f.committed < 0 || len(t.files) == maxFiles || flags[0]&^flagReduced != 0 {
			return Token{}, errToken
		}
		f.name = name[:common] + string(suffix)
		if f.reduced = flags[0] == flagReduced; f.reduced {
			copy(f.tail[:], p.bytes(8))
			f.buried = p.uvarint()
		}
		if p.failed || f.name <= name || f.name != filepath.Base(f.name) {
			return Token{}, errToken
		}
		t.files, name = append(t.files, f), f.name
	}
	return t, nil
}

// parser takes bytes apart.
type parser struct {
	rest   []byte
	failed bool
}

func (p *parser) uvarint() uint64 {
	n, size := binary.Uvarint(p.rest)
	if size <= 0 {
		p.failed, p.rest = true, nil
		return 0
	}
	p.rest = p.rest[size:]
	return n
}

// bytes returns the next n bytes; zeros if there are fewer.
func (p *parser) bytes(n uint64) []byte {
	if n > uint64(len(p.rest)) {
		p.failed, p.rest = true, nil
		return make([]byte, min(n, 8))
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}
