package certs

import (
	"fmt"
	"os"
	"path/filepath"

	"software.sslmate.com/src/go-pkcs12"
)

// ExportPassword opens the exported PKCS #12 file. The content is public and needs no protection,
// but Java and NSS want a password, and this is the one that Java assumes.
const ExportPassword = pkcs12.DefaultPassword

// Export writes the certificate that clients have to trust, never its key, into dir in the forms
// that trust stores take, and returns the paths:
//
//	warcorder-ca.pem  PEM: curl, Python, Node, Firefox, Linux distributions
//	warcorder-ca.der  DER: Windows, macOS, Android, iOS
//	warcorder-ca.p12  PKCS #12 trust store: Java; its password is ExportPassword
//
// Export makes dir if it is missing, and replaces files of these names.
func (a *Authority) Export(dir string) ([]string, error) {
	// All readers know the old cipher of this format. It need not be strong: the content is public.
	p12, err := pkcs12.LegacyDES.EncodeTrustStoreEntries([]pkcs12.TrustStoreEntry{
		{Cert: a.chain.top(), FriendlyName: a.Name()},
	}, ExportPassword)
	if err != nil {
		return nil, fmt.Errorf("export root certificate: encode PKCS #12: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("export root certificate: %w", err)
	}
	forms := []struct {
		name string
		data []byte
	}{{"warcorder-ca.pem", a.PEM()}, {"warcorder-ca.der", a.DER()}, {"warcorder-ca.p12", p12}}
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
