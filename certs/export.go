package certs

import (
	"fmt"
	"os"
	"path/filepath"

	"software.sslmate.com/src/go-pkcs12"
)

// ExportPassword opens what PKCS12 returns. The content is public and needs no protection, but Java
// and NSS want a password, and this is the one that Java assumes.
const ExportPassword = pkcs12.DefaultPassword

// Export writes the certificate that clients have to trust, never its key, into dir in the forms
// that trust stores take, and returns the paths:
//
//	warcorder-ca.pem           PEM: curl, Python, Node, Firefox, Linux distributions
//	warcorder-ca.der           DER: Windows, macOS, Android
//	warcorder-ca.p12           PKCS #12 trust store: Java; its password is ExportPassword
//	warcorder-ca.mobileconfig  configuration profile: iOS, iPadOS, macOS
//
// Export makes dir if it is missing, and replaces files of these names.
func (a *Authority) Export(dir string) ([]string, error) {
	p12, err := a.PKCS12()
	if err != nil {
		return nil, fmt.Errorf("export root certificate: %w", err)
	}
	profile, err := a.Mobileconfig()
	if err != nil {
		return nil, fmt.Errorf("export root certificate: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("export root certificate: %w", err)
	}
	forms := []struct {
		name string
		data []byte
	}{
		{"warcorder-ca.pem", a.PEM()},
		{"warcorder-ca.der", a.DER()},
		{"warcorder-ca.p12", p12},
		{"warcorder-ca.mobileconfig", profile},
	}
	var files []string
	for _, form := range forms {
		file := filepath.Join(dir, form.name)
		if err := os.WriteFile(file, form.data, 0o644); err != nil {
			return files, fmt.Errorf("export root certificate: %w", err)
		}
		files = append(files, file)
	}
	return files, nil
}

// PKCS12 returns the certificate that clients have to trust as a PKCS #12 trust store without key,
// whose password is ExportPassword. Its cipher is triple DES and its digest SHA-1, which Java,
// OpenSSL, NSS, Windows and Android all read, old ones too; AES is newer than some of them. Neither
// need be strong: the content is public.
func (a *Authority) PKCS12() ([]byte, error) {
	store, err := pkcs12.LegacyDES.EncodeTrustStoreEntries([]pkcs12.TrustStoreEntry{
		{Cert: a.chain.top(), FriendlyName: a.Name()},
	}, ExportPassword)
	if err != nil {
		return nil, fmt.Errorf("encode PKCS #12: %w", err)
	}
	return store, nil
}
