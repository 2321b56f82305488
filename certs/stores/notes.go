package stores

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Notes is the directory that remembers what was added where, one file for each certificate in each
// store:
//
//	trusted/                       0700, beside ca/
//	trusted/0123456789abcdef.json  named by a hash of the certificate and of the store's ID
//
//	{"certificate": "MIIB…",                DER, base64
//	 "store": "nss:/home/anna/.pki/nssdb",  the store's ID
//	 "was": ",,",                           its trust before, where the store had it already
//	 "added": "2026-11-22T16:30:00Z"}
//
// A note is written before the certificate is added and goes after that is taken away: whatever
// breaks off in between, nothing that was added is without one.
type Notes string

// Note is one of them.
type Note struct {
	Certificate []byte    `json:"certificate"`
	Store       string    `json:"store"`
	Was         string    `json:"was,omitempty"`
	Added       time.Time `json:"added"`
}

// maxNote is more bytes than a note of ours has.
const maxNote = 256 << 10

// Cert returns the certificate that the note is of.
func (n Note) Cert() (*x509.Certificate, error) { return x509.ParseCertificate(n.Certificate) }

func (d Notes) file(n Note) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s", n.Store, n.Certificate)
	return filepath.Join(string(d), fmt.Sprintf("%x.json", sum.Sum(nil)[:8]))
}

// Write keeps a note. One that is there already stays: what it says of before is from before.
func (d Notes) Write(n Note) error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if _, err := os.Stat(d.file(n)); err == nil {
		return nil
	}
	return writeNew(d.file(n), append(text, '\n'))
}

// Drop removes a note, and the directory with the last one.
func (d Notes) Drop(n Note) error {
	err := os.Remove(d.file(n))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	os.Remove(string(d)) // which fails while others are in it
	return err
}

// All returns the notes that there are.
func (d Notes) All() (all []Note, err error) {
	for _, file := range glob(string(d), "*.json") {
		n, err := readNote(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; remove it, and look in the browsers' settings for what it "+
				"was of", file, err)
		}
		all = append(all, n)
	}
	return all, nil
}

func readNote(file string) (n Note, err error) {
	f, err := os.Open(file)
	if err != nil {
		return n, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxNote))
	if err != nil {
		return n, err
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return n, err
	}
	_, err = n.Cert()
	return n, err
}
