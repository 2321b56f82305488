package environment

import (
	"encoding/pem"
	"unsafe"

	"golang.org/x/sys/windows"
)

// systemRoots returns the roots that Windows has at hand, PEM. It fetches others when somebody asks
// for them, so that these are not all.
func systemRoots() (roots []byte) {
	name, err := windows.UTF16PtrFromString("ROOT")
	if err != nil {
		return nil
	}
	store, err := windows.CertOpenSystemStore(0, name)
	if err != nil {
		return nil
	}
	defer windows.CertCloseStore(store, 0)
	var at *windows.CertContext
	for len(roots) < maxRoots {
		if at, err = windows.CertEnumCertificatesInStore(store, at); err != nil {
			return roots
		}
		der := unsafe.Slice(at.EncodedCert, at.Length)
		roots = append(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	windows.CertFreeCertificateContext(at)
	return roots
}
