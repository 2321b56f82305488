// Package certs is the authority that lets warcorder read HTTPS: a root certificate which the
// clients are told to trust, and the leaf certificates that it signs, one for each host that a
// client asks for. Start with [Open], or with [OpenOwn] for an authority that others have made;
// give [Authority.ServerConfig] to the listener, and [Authority.Export] to whoever has to trust it.
//
// Invariant: the root's key is written nowhere but to its file, which only the owner may read; that
// of another authority is only read. A leaf is valid for exactly one host name or IP address, never
// for a wildcard, and never longer than any certificate of the chain that it is sent with.
//
// On disk, in the directory given to Open:
//
//	ca/                   0700, made in one step: it holds a whole root or does not exist
//	ca/warcorder-ca.pem   the certificate
//	ca/warcorder-ca.key   0600, its private key (PKCS #8, PEM)
//
// The root belongs to one installation. Its name has the host and the day on which it was made, so
// that a person finds it in a trust store and can take it out again.
//
// Another authority has its files where its owner put them. The certificate that signs comes first,
// and behind each the one that signed it; what is sent is the file, behind the leaf:
//
//	certs   the certificate that signs ◄─ its issuer ◄─ … ◄─ the root, which may be missing
//	key     0600, of the first one; or another's, and for our group to read (0440): a mounted secret
//	sent    leaf ◄─ the certificate that signs ◄─ its issuer ◄─ …
//	                                    clients have to trust the last one: Authority.PEM
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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// Authority signs leaves with its root, or with a certificate that stands below one. It is safe for
// concurrent use.
type Authority struct {
	file   string
	others bool  // made it
	chain  chain // sent behind each leaf: the certificate that signs first, what is to be trusted last
	key    crypto.Signer

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
	pair, chain, err := loadRoot(home)
	if err != nil {
		return nil, fmt.Errorf("load root certificate: %w", err)
	}
	return newAuthority(RootFile(dir), pair, chain)
}

// OpenOwn loads an authority that others have made: certs has its certificate, and behind that the
// one that signed it, and so on; the last one is what clients have to trust. It refuses what Open
// refuses, for each of the certificates, and a chain of which no client would take a leaf.
func OpenOwn(certs, key string) (*Authority, error) {
	pair, chain, err := loadOwn(certs, key)
	if err != nil {
		return nil, fmt.Errorf("load the authority of ca-cert and ca-key: %w", err)
	}
	a, err := newAuthority(certs, pair, chain)
	if err == nil {
		a.others = true
	}
	return a, err
}

// Equal reports whether two sign with the same certificate, and send the same behind it.
func (a *Authority) Equal(other *Authority) bool {
	return slices.EqualFunc(a.chain, other.chain, (*x509.Certificate).Equal)
}

func newAuthority(file string, pair tls.Certificate, chain chain) (*Authority, error) {
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make leaf key: %w", err)
	}
	leaves, err := lru.New[string, *leaf](cachedLeaves)
	if err != nil {
		return nil, err
	}
	return &Authority{
		file:  file,
		chain: chain,
		// crypto/tls loads only RSA, ECDSA and Ed25519 keys, which all are Signers
		key:     pair.PrivateKey.(crypto.Signer),
		leafKey: leafKey,
		leaves:  leaves,
	}, nil
}

// PEM returns the certificate that clients have to trust as one PEM block.
func (a *Authority) PEM() []byte { return pemOf(a.chain.top().Raw) }

// DER returns the certificate that clients have to trust in ASN.1 DER.
func (a *Authority) DER() []byte { return slices.Clone(a.chain.top().Raw) }

// File returns the path of the certificates (PEM). Where there is but one, that is what people have
// to trust.
func (a *Authority) File() string { return a.file }

// IsAlone reports that the certificate in File is the only one.
func (a *Authority) IsAlone() bool { return len(a.chain) == 1 }

// IsOthers reports an authority that others have made (OpenOwn).
func (a *Authority) IsOthers() bool { return a.others }

// Name returns the common name of what clients have to trust, by which a person finds it in a trust
// store.
func (a *Authority) Name() string { return NameOf(a.chain.top()) }

// Ends is when the first of the certificates expires, and no leaf is taken any more.
func (a *Authority) Ends() time.Time { return a.chain.end() }

// Leaves returns how many leaves were signed since the start, and how many are kept for the next client.
func (a *Authority) Leaves() (signed int64, kept int) { return a.minted.Load(), a.leaves.Len() }

// CountOn has Leaves go on from those that another one has signed, in whose place this one comes.
func (a *Authority) CountOn(before *Authority) { a.minted.Add(before.minted.Load()) }

// Remarks are what an operator should know of the certificates: hosts that they may not stand for,
// a root that is not there.
func (a *Authority) Remarks() []string { return a.chain.remarks() }

func loadRoot(home string) (tls.Certificate, chain, error) {
	cert, key := filepath.Join(home, certFile), filepath.Join(home, keyFile)
	if err := CheckPrivate(key); err != nil {
		return tls.Certificate{}, nil, fmt.Errorf(
			"%w, or, if somebody may have copied it, remove %s to get a new root", err, home)
	}
	pair, err := tls.LoadX509KeyPair(cert, key) // also checks that the key is the certificate's
	if errors.Is(err, fs.ErrPermission) {
		return pair, nil, err
	}
	if err != nil {
		return pair, nil, fmt.Errorf("%s and %s are incomplete, damaged or not a pair: %w; restore both "+
			"from a backup, or remove %s to get a new root, which clients have to be told to trust",
			cert, key, err, home)
	}
	chain, err := chainOf(pair)
	if err != nil {
		return pair, nil, fmt.Errorf(
			"%s: %w; remove %s to get a new root, which clients have to be told to trust", cert, err, home)
	}
	return pair, chain, nil
}

func loadOwn(certs, key string) (tls.Certificate, chain, error) {
	if err := CheckPrivate(key); err != nil {
		return tls.Certificate{}, nil, err
	}
	pair, err := LoadPair(certs, key)
	if err != nil {
		return pair, nil, err
	}
	chain, err := chainOf(pair)
	if err != nil {
		return pair, nil, fmt.Errorf("%s: %w", certs, err)
	}
	return pair, chain, nil
}

// chainOf reads the certificates of a pair, and refuses those by which nothing can be signed.
func chainOf(pair tls.Certificate) (c chain, err error) {
	for _, der := range pair.Certificate {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		c = append(c, cert)
	}
	return c, c.check(time.Now())
}
