//go:build !windows

package environment

import "os"

// rootFiles are where systems keep the roots that programs trust, in the order in which Go's
// crypto/x509 looks for them.
var rootFiles = []string{
	"/etc/ssl/certs/ca-certificates.crt",                // Debian, Ubuntu, Gentoo, Arch
	"/etc/pki/tls/certs/ca-bundle.crt",                  // Fedora, RHEL 6
	"/etc/ssl/ca-bundle.pem",                            // openSUSE
	"/etc/pki/tls/cacert.pem",                           // OpenELEC
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // CentOS, RHEL 7
	"/etc/ssl/cert.pem",                                 // Alpine, macOS, OpenBSD
	"/usr/local/etc/ssl/cert.pem",                       // FreeBSD
	"/usr/local/share/certs/ca-root-nss.crt",            // DragonFly
	"/etc/openssl/certs/ca-certificates.crt",            // NetBSD
}

// rootFolders are where they lie file by file.
var rootFolders = []string{
	"/etc/ssl/certs", "/etc/pki/tls/certs", "/usr/local/share/certs", "/etc/openssl/certs",
}

// systemRoots returns the system's roots, PEM, or nothing.
func systemRoots() []byte {
	for _, paths := range [][]string{rootFiles, rootFolders} {
		for _, path := range paths {
			if _, err := os.Stat(path); err != nil {
				continue
			}
			if roots, err := readRoots(path); err == nil {
				return roots
			}
		}
	}
	return nil
}
