// Package certs is the authority that lets warcorder read HTTPS: a root certificate which the
// clients are told to trust, and the leaf certificates that it signs, one for each host that a
// client asks for. Start with [Open]; give [Authority.ServerConfig] to the listener, and
// [Authority.Export] to whoever has to trust the root.
//
// Invariant: the root's key is written nowhere but to its file, which only the owner may read; and
// a leaf is valid for exactly one host name or IP address, never for a wildcard, and never longer
// than the root.
//
// On disk, in the directory given to Open:
//
//	ca/                   0700, made in one step: it holds a whole root or does not exist
//	ca/warcorder-ca.pem   the certificate
//	ca/warcorder-ca.key   0600, its private key (PKCS #8, PEM)
//
// The root belongs to one installation. Its name has the host and the day on which it was made, so
// that a person finds it in a trust store and can take it out again. A root of one's own can be put
// into the same two files.
//
// The form of the certificates is that of RFC 5280, the root's key ID that of RFC 7093 section 2.
package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

const (
	rootDir  = "ca"
	certFile = "warcorder-ca.pem"
	keyFile  = "warcorder-ca.key"

	// cachedLeaves bounds the leaves in memory, of about 1 KB each. A page asks for tens of hosts, a
	// crawl for thousands.
	cachedLeaves = 4096
)

// Authority signs leaves with its root. It is safe for concurrent use.
type Authority struct {
	file string
	root *x509.Certificate
	sent [][]byte // what is sent behind each leaf: all certificates in the root's file
	key  crypto.Signer

	leafKey *ecdsa.PrivateKey // the key of all leaves; new in each process, never stored
	leaves  *lru.Cache[string, *leaf]
	flights singleflight.Group
	minted  atomic.Int64
}

// Open loads the root that is kept in dir, or makes one on first start. If several processes start
// at once, one makes the root and the others load it. Open refuses a root that is damaged,
// incomplete, expired or no authority, and a key that others than its owner may read; the error
// says what to do.
func Open(dir string) (*Authority, error) {
	home := filepath.Join(dir, rootDir)
	if _, err := os.Stat(home); errors.Is(err, fs.ErrNotExist) {
		if err := makeRoot(home); err != nil {
			return nil, fmt.Errorf("make root certificate: %w", err)
		}
	}
	pair, err := loadRoot(home)
	if err != nil {
		return nil, fmt.Errorf("load root certificate: %w", err)
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make leaf key: %w", err)
	}
	leaves, err := lru.New[string, *leaf](cachedLeaves)
	if err != nil {
		return nil, err
	}
	return &Authority{
		file: filepath.Join(home, certFile),
		root: pair.Leaf,
		sent: pair.Certificate,
		// crypto/tls loads only RSA, ECDSA and Ed25519 keys, which all are Signers
		key:     pair.PrivateKey.(crypto.Signer),
		leafKey: leafKey,
		leaves:  leaves,
	}, nil
}

// PEM returns the root certificate as one PEM block.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.root.Raw})
}

// DER returns the root certificate in ASN.1 DER.
func (a *Authority) DER() []byte { return slices.Clone(a.root.Raw) }

// File returns the path of the root certificate (PEM), to tell people what to trust.
func (a *Authority) File() string { return a.file }

// Name returns the root's common name, by which a person finds it in a trust store.
func (a *Authority) Name() string { return a.root.Subject.CommonName }

func loadRoot(home string) (tls.Certificate, error) {
	cert, key := filepath.Join(home, certFile), filepath.Join(home, keyFile)
	if err := checkPrivate(key); err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.LoadX509KeyPair(cert, key) // also checks that the key is the certificate's
	if errors.Is(err, fs.ErrPermission) {
		return pair, err
	}
	if err != nil {
		return pair, fmt.Errorf("%s and %s are incomplete, damaged or not a pair: %w; restore both from "+
			"a backup, or remove %s to get a new root, which clients have to be told to trust",
			cert, key, err, home)
	}
	if err := checkRoot(pair.Leaf, time.Now()); err != nil {
		return pair, fmt.Errorf(
			"%s %w; remove %s to get a new root, which clients have to be told to trust", cert, err, home)
	}
	return pair, nil
}

// checkPrivate refuses a key that others than its owner may read or write. Windows has no such
// bits; those that Go returns there are made up.
func checkPrivate(key string) error {
	info, err := os.Stat(key)
	if err != nil || runtime.GOOS == "windows" {
		return nil // a missing key is reported together with its certificate
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("the private key %s can be used by others than its owner (mode %04o): run "+
			"chmod 600 on it, or, if somebody may have copied it, remove %s to get a new root",
			key, mode, filepath.Dir(key))
	}
	return nil
}

func checkRoot(root *x509.Certificate, now time.Time) error {
	switch {
	case !root.IsCA || root.KeyUsage != 0 && root.KeyUsage&x509.KeyUsageCertSign == 0:
		return errors.New("is not the certificate of an authority")
	case now.Before(root.NotBefore):
		return fmt.Errorf("is valid from %s on only: if the clock is wrong, set it; else",
			root.NotBefore.Format(time.DateTime))
	case !now.Before(root.NotAfter):
		return fmt.Errorf("expired on %s", root.NotAfter.Format(time.DateOnly))
	}
	return nil
}
