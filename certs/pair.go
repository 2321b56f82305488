package certs

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"os"
	"strings"
)

// LoadPair reads a certificate, with what comes behind it, and its key from PEM files. Both may be
// one file. The error names the file and says what to do.
func LoadPair(certFile, keyFile string) (tls.Certificate, error) {
	certs, err := os.ReadFile(certFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	chain, err := Parse(certs)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%s %w", certFile, err)
	}
	key, err := readKey(keyFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(certs, key)
	if err == nil {
		return pair, nil
	}
	for _, behind := range chain[1:] {
		if _, err := tls.X509KeyPair(pemOf(behind.Raw), key); err == nil {
			return pair, fmt.Errorf("%s: the order is wrong: %s is the key of %q, which has to come first",
				certFile, keyFile, NameOf(behind))
		}
	}
	return pair, fmt.Errorf("%s is not the key of %q, the first certificate of %s: %w",
		keyFile, NameOf(chain[0]), certFile, err)
}

// readKey returns the private key in a file as PEM.
func readKey(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if !strings.HasSuffix(block.Type, "PRIVATE KEY") {
			continue
		}
		switch {
		case block.Type == "ENCRYPTED PRIVATE KEY",
			strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED"):
			return nil, fmt.Errorf("the private key in %s is encrypted, and nobody is there at a start to "+
				"type its password: decrypt it into a file of your own (openssl pkey -in %[1]s -out …, "+
				"chmod 600)", file)
		case block.Type == "OPENSSH PRIVATE KEY":
			return nil, fmt.Errorf("the private key in %s is one for SSH: give the key of the certificate",
				file)
		}
		return pem.EncodeToMemory(block), nil
	}
	return nil, fmt.Errorf("%s has no private key in PEM (BEGIN PRIVATE KEY); of a PKCS #12 file "+
		"openssl pkcs12 -nodes makes one", file)
}

// CheckPrivate refuses a key that others may read or write than its owner, or the process that
// somebody else has given it to.
func CheckPrivate(key string) error {
	info, err := os.Stat(key)
	if err != nil || isPrivate(info) {
		return nil // a missing key is reported together with its certificate
	}
	return fmt.Errorf("the private key %s can be used by others than its owner (mode %04o): run "+
		"chmod 600 on it; a secret that Kubernetes mounts needs defaultMode: 0440, and fsGroup the "+
		"group of the process", key, info.Mode().Perm())
}

func pemOf(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
