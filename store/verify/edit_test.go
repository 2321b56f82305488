package verify_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// member is a gzip member of a file, found without our own reader.
type member struct {
	offset, length int
	text           string // the record
}

// membersOf takes a healthy file apart.
func membersOf(t testing.TB, content []byte) (all []member) {
	t.Helper()
	in := bytes.NewReader(content)
	for in.Len() > 0 {
		start := len(content) - in.Len()
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, member{start, len(content) - in.Len() - start, string(text)})
	}
	return all
}

// pack makes a gzip member with an `sl` field that holds what its lengths are.
func pack(text string) string { return packWith(text, 0, 0) }

// packWith makes one whose `sl` field is wrong by so much.
func packWith(text string, compressed, uncompressed int) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Extra = append([]byte("sl\x08\x00"), make([]byte, 8)...)
	z.Write([]byte(text))
	z.Close()
	b := out.Bytes()
	binary.LittleEndian.PutUint32(b[16:], uint32(len(b)+compressed))
	binary.LittleEndian.PutUint32(b[20:], uint32(len(text)+uncompressed))
	return string(b)
}

// packPlain makes one without.
func packPlain(text string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write([]byte(text))
	z.Close()
	return out.String()
}

// sha is a digest as we write it.
func sha(text string) string {
	sum := sha1.Sum([]byte(text))
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// withBlock gives a record another block, with the length and the digests of that: the payload is
// what follows the HTTP header.
func withBlock(record, block string) string {
	head, _, _ := strings.Cut(record, "\r\n\r\n")
	_, payload, _ := strings.Cut(block, "\r\n\r\n")
	head = withField(head, "Content-Length", fmt.Sprint(len(block)))
	head = withField(head, "WARC-Block-Digest", sha(block))
	head = withField(head, "WARC-Payload-Digest", sha(payload))
	return head + "\r\n\r\n" + block + "\r\n\r\n"
}

// withField gives a record's field another value; with "" it takes the field away.
func withField(record, name, value string) string {
	line := regexp.MustCompile("(?i)\r\n" + name + ":[^\r]*")
	if value == "" {
		return line.ReplaceAllLiteralString(record, "")
	}
	return line.ReplaceAllLiteralString(record, "\r\n"+name+": "+value)
}

// replaced replaces the n-th member of a file by others.
func replaced(content []byte, all []member, n int, with string) []byte {
	m := all[n]
	return slices.Concat(content[:m.offset], []byte(with), content[m.offset+m.length:])
}

// edited packs a record that has been edited.
func edited(edit func(text string) string) func(raw, text string) string {
	return func(_, text string) string { return pack(edit(text)) }
}

// swap replaces the first old in a record.
func swap(old, with string) func(raw, text string) string {
	return edited(func(text string) string { return strings.Replace(text, old, with, 1) })
}

func field(name, value string) func(raw, text string) string {
	return edited(func(text string) string { return withField(text, name, value) })
}

func block(block string) func(raw, text string) string {
	return edited(func(text string) string { return withBlock(text, block) })
}

func set(value string) func(raw, text string) string {
	return func(raw, _ string) string { return value + raw }
}

// flip flips a bit, counted from the end if at is negative.
func flip(at int) func(raw, text string) string {
	return func(raw, _ string) string {
		b := []byte(raw)
		b[(at+len(b))%len(b)] ^= 1
		return string(b)
	}
}

// cut leaves only the first n bytes, or all but the last -n.
func cut(n int) func(raw, text string) string {
	return func(raw, _ string) string {
		if n < 0 {
			return raw[:len(raw)+n]
		}
		return raw[:n]
	}
}
