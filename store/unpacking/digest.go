package unpacking

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// maxPackage is how long a datapackage.json may be: one of 100,000 files has less.
const maxPackage = 16 << 20

// dataPackage is what we read of a datapackage.json.
type dataPackage struct {
	Profile   string          `json:"profile"`
	Software  json.RawMessage `json:"software"`
	Resources []resource      `json:"resources"`
}

// resource is a file that a datapackage.json lists.
type resource struct {
	Path  string          `json:"path"`
	Name  string          `json:"name"`
	Hash  string          `json:"hash"` // ALGORITHM:HEX, as digestOf reads it
	Bytes json.RawMessage `json:"bytes"`

	twice bool // the digest may be as js-wacz makes it, see twice
}

// digest is a digest that was claimed.
type digest struct {
	claimed string
	hash    hash.Hash
	sum     []byte
}

// digestOf reads a claim. It is nil for an algorithm that is not known.
func digestOf(claimed string) *digest {
	name, text, _ := strings.Cut(claimed, ":")
	sum, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	d := &digest{claimed: claimed, sum: sum}
	switch strings.ToLower(strings.ReplaceAll(name, "-", "")) {
	case "sha256":
		d.hash = sha256.New()
	case "md5": // wacz create --hash-type md5
		d.hash = md5.New()
	case "sha1":
		d.hash = sha1.New()
	case "sha512":
		d.hash = sha512.New()
	default:
		return nil
	}
	return d
}

// holds reports whether what was written to the hash has the digest.
func (d *digest) holds() bool { return bytes.Equal(d.hash.Sum(nil), d.sum) }

// js-wacz begins the software of its packages so.
const jsWACZ = "\"@harvard-lil/js-wacz"

// twice is the digest that js-wacz (0.1.6) makes of a file, all of whose WACZ files have it: each piece
// of 64 KiB is hashed two times, one behind the other. It vouches for the bytes as well as the right
// one.
type twice struct {
	hash  hash.Hash
	piece []byte
}

func (t *twice) write(b []byte) {
	const size = 64 << 10
	for len(b) > 0 {
		n := min(len(b), size-len(t.piece))
		t.piece = append(t.piece, b[:n]...)
		b = b[n:]
		if len(t.piece) == size {
			t.end()
		}
	}
}

// end hashes the piece that has begun.
func (t *twice) end() {
	t.hash.Write(t.piece)
	t.hash.Write(t.piece)
	t.piece = t.piece[:0]
}

func (t *twice) holds(sum []byte) bool {
	t.end()
	return bytes.Equal(t.hash.Sum(nil), sum)
}

// checked reads what a resource lists: at its end the error is one of the digest if that, or the
// length, is wrong.
type checked struct {
	in     io.Reader
	listed *resource // nil if it is not listed
	digest *digest   // nil if none is claimed that can be checked
	twice  *twice    // nil unless js-wacz has made it
	n      int64
}

func newChecked(in io.Reader, listed *resource) *checked {
	c := &checked{in: in, listed: listed}
	if listed != nil {
		c.digest = digestOf(listed.Hash)
	}
	if c.digest != nil && listed.twice {
		c.twice = &twice{hash: sha256.New()}
	}
	return c
}

// errDigest says that a file is not the one that was listed.
var errDigest = errors.New("it is not the file that datapackage.json lists, or was changed since: have " +
	"the WACZ file sent again")

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	if c.digest != nil {
		c.digest.hash.Write(p[:n])
	}
	if c.twice != nil {
		c.twice.write(p[:n])
	}
	if !errors.Is(err, io.EOF) || c.listed == nil {
		return n, err
	}
	if c.digest != nil && !c.digest.holds() && (c.twice == nil || !c.twice.holds(c.digest.sum)) {
		return n, fmt.Errorf("its digest is not %s: %w", c.digest.claimed, errDigest)
	}
	var size *float64
	if json.Unmarshal(c.listed.Bytes, &size) == nil && size != nil && *size != float64(c.n) {
		return n, fmt.Errorf("it has %d bytes, and %.0f are listed: %w", c.n, *size, errDigest)
	}
	return n, err
}
