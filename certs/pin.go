package certs

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
)

// Pin returns the hash of a certificate's key (SPKI), by which Chromium accepts what the
// certificate has signed: --ignore-certificate-errors-spki-list. The server has to send the
// certificate, as ServerConfig does.
func Pin(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}
