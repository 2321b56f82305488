package certs

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"software.sslmate.com/src/go-pkcs12"
)

func TestExport(t *testing.T) {
	a := open(t, t.TempDir())
	dir := filepath.Join(t.TempDir(), "new", "dir")
	if _, err := a.Export(dir); err != nil {
		t.Fatal(err)
	}
	files, err := a.Export(dir) // replaces
	if err != nil {
		t.Fatal(err)
	}
	decode := map[string]func(data []byte) ([]*x509.Certificate, error){
		"warcorder-ca.pem": func(data []byte) ([]*x509.Certificate, error) {
			block, rest := pem.Decode(data)
			if len(rest) != 0 {
				t.Errorf("after the certificate: %q", rest)
			}
			return x509.ParseCertificates(block.Bytes)
		},
		"warcorder-ca.der": x509.ParseCertificates,
		"warcorder-ca.p12": func(data []byte) ([]*x509.Certificate, error) {
			return pkcs12.DecodeTrustStore(data, ExportPassword) // refuses a file with a key
		},
		"warcorder-ca.mobileconfig": func(data []byte) ([]*x509.Certificate, error) {
			der, err := base64.StdEncoding.DecodeString(textsOf(t, data)["data"][0])
			if err != nil {
				return nil, err
			}
			return x509.ParseCertificates(der)
		},
	}
	if len(files) != len(decode) {
		t.Errorf("wrote %q", files)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			certs, err := decode[filepath.Base(file)](data)
			if err != nil || len(certs) != 1 || !bytes.Equal(certs[0].Raw, a.chain[0].Raw) {
				t.Errorf("holds %v, %v", certs, err)
			}
		})
	}
}

func TestExportFails(t *testing.T) {
	a := open(t, t.TempDir())
	if files, err := a.Export(a.File()); err == nil || len(files) != 0 {
		t.Errorf("exported into a file: %v, %v", files, err)
	}
}

func TestOpenSSLReadsExport(t *testing.T) {
	a := open(t, t.TempDir())
	dir := t.TempDir()
	if _, err := a.Export(dir); err != nil {
		t.Fatal(err)
	}
	subject := a.chain[0].Subject.CommonName
	p12 := openssl(t, "pkcs12", "-info", "-in", filepath.Join(dir, "warcorder-ca.p12"), "-passin",
		"pass:"+ExportPassword, "-noenc")
	if !strings.Contains(p12, subject) || strings.Contains(p12, "PRIVATE KEY") {
		t.Errorf("PKCS #12 holds %s", p12)
	}
	der := openssl(t, "x509", "-inform", "DER", "-in", filepath.Join(dir, "warcorder-ca.der"),
		"-noout", "-subject")
	if !strings.Contains(der, subject) {
		t.Errorf("DER holds %s", der)
	}
}

// openssl runs the command of that name; a test that needs it is skipped where there is none.
func openssl(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("no openssl on this machine")
	}
	out, err := exec.Command("openssl", args...).CombinedOutput()
	if err != nil {
		t.Errorf("openssl %s: %v: %s", args[0], err, out)
	}
	return string(out)
}

func pemCert(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// TestOthersReadPKCS12: Java takes the file as a trust store, and NSS, which browsers on Linux
// have, imports it.
func TestOthersReadPKCS12(t *testing.T) {
	a := open(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "store.p12")
	p12, err := a.PKCS12()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, p12, 0o644); err != nil {
		t.Fatal(err)
	}
	nss := "sql:" + t.TempDir()
	for _, c := range []struct {
		what string
		want string
		args [][]string
	}{
		{"Java", "trustedCertEntry", [][]string{
			{"keytool", "-list", "-keystore", file, "-storepass", ExportPassword}}},
		{"NSS", a.Name(), [][]string{
			{"certutil", "-N", "--empty-password", "-d", nss},
			{"pk12util", "-i", file, "-W", ExportPassword, "-d", nss},
			{"certutil", "-L", "-d", nss}}},
	} {
		t.Run(c.what, func(t *testing.T) {
			var out []byte
			for _, args := range c.args {
				program, err := exec.LookPath(args[0])
				if err != nil {
					t.Skipf("no %s on this machine", args[0])
				}
				if out, err = exec.Command(program, args[1:]...).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v: %s", args[0], err, out)
				}
			}
			if !strings.Contains(string(out), c.want) {
				t.Errorf("%q is not in %s", c.want, out)
			}
		})
	}
}
