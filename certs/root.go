package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// backdate lets clients whose clocks are somewhat slow accept what was signed a moment ago.
const backdate = 24 * time.Hour

// makeRoot makes the directory home with a new root in it. The directory is filled under another
// name and then renamed. This one step brings the root into being: a process that is killed
// half-way leaves none, and of two processes only one makes a root.
func makeRoot(home string) error {
	above := filepath.Dir(home)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(home), rootDir+".new-") // 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	cert, key, err := newRoot(time.Now())
	if err != nil {
		return err
	}
	if err := writeSynced(filepath.Join(tmp, keyFile), key, 0o600); err != nil {
		return err
	}
	if err := writeSynced(filepath.Join(tmp, certFile), cert, 0o644); err != nil {
		return err
	}
	if err := syncDir(tmp); err != nil {
		return err
	}
	err = os.Rename(tmp, home)
	// There is a root now: this one, or that of a faster process.
	if _, statErr := os.Stat(home); statErr == nil {
		return errors.Join(syncDir(above), syncDir(filepath.Dir(above)))
	}
	return err
}

// syncDir makes the names in a directory durable. If a power failure could undo the root, browsers
// would go on trusting a root that nobody has any more.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a directory cannot be synced there
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a directory of another owner, which was there before
	}
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// newRoot returns a self-signed certificate and its key, both PEM. The certificate has no name
// constraints, since the hosts to record are not known. Path length 0 keeps it from signing other
// authorities.
func newRoot(now time.Time) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	public, err := private.PublicKey.Bytes()
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.Sum256(public)
	id := sum[:20] // RFC 7093 section 2, method 1
	host, _ := os.Hostname()
	template := &x509.Certificate{
		Subject:               rootName(host, now, id),
		NotBefore:             now.Add(-backdate),
		NotAfter:              now.AddDate(10, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		SubjectKeyId:          id,
		AuthorityKeyId:        id,
	}
	certDER, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey,
		private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certDER}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), nil
}

// OurName is how the common name of each root begins that Open makes.
const OurName = "warcorder CA "

// organization is that of each.
const organization = "warcorder: records HTTPS traffic for a web archive"

// IsOurs reports whether a certificate is a root that Open has made, on this machine or another.
func IsOurs(cert *x509.Certificate) bool {
	return slices.Equal(cert.Subject.Organization, []string{organization}) &&
		strings.HasPrefix(cert.Subject.CommonName, OurName) && isSelfSigned(cert)
}

// IsThere reports that a root is kept in dir: Open would make none.
func IsThere(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, rootDir))
	return !errors.Is(err, fs.ErrNotExist)
}

// RootFile returns where Open keeps the certificate of the root in dir.
func RootFile(dir string) string { return filepath.Join(dir, rootDir, certFile) }

// rootName tells a person who looks through a trust store what the root is for, and on which host
// and day it was made. The end of the key's ID tells two installations of one day on one host
// apart: some trust stores take two roots of one name for the same root.
func rootName(host string, now time.Time, id []byte) pkix.Name {
	host = strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r
		}
		return '-'
	}, host)
	if host == "" {
		host = "unnamed host"
	}
	const hostMax = 33 // the whole then has at most 64 characters, the bound of X.520
	return pkix.Name{
		Organization: []string{organization},
		CommonName: fmt.Sprintf("%s%s %s %x", OurName, host[:min(len(host), hostMax)],
			now.UTC().Format(time.DateOnly), id[17:]),
	}
}

func writeSynced(file string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}
