package browser

import (
	"crypto/sha1"
	"crypto/x509"
	"encoding/asn1"
	"encoding/binary"
	"fmt"
)

// A trust database of NSS, cert9.db, is a file of SQLite 3 with one table, nssPublic. Each row is an
// object of PKCS #11, each column an attribute: "a" and its number in hexadecimal digits. Numbers
// are 4 bytes, big-endian. One certificate takes two rows: itself, and what it is trusted for.
//
// It is written by hand, since the program that writes such files, certutil of NSS, is on few
// machines, and a library of SQLite would add some 8 MB to the program for this one file. SQLite
// itself judges the file in TestTrustDatabase, and Firefox in the interop run.
const (
	attributeClass       = "a0"
	attributeToken       = "a1"
	attributePrivate     = "a2"
	attributeLabel       = "a3"
	attributeValue       = "a11"
	attributeCertType    = "a80"
	attributeIssuer      = "a81"
	attributeSerial      = "a82"
	attributeSubject     = "a101"
	attributeID          = "a102"
	attributeModifiable  = "a170"
	attributeServerAuth  = "ace536358"
	attributeClientAuth  = "ace536359"
	attributeCodeSigning = "ace53635a"
	attributeEmail       = "ace53635b"
	attributeStepUp      = "ace536360"
	attributeHash        = "ace5363b4" // SHA-1 of the certificate
)

// What the attributes say.
const (
	classCertificate = 1
	classTrust       = 0xce534353
	trustedAuthority = 0xce534352
	notByThis        = 0xce534353 // to be verified by what else is trusted
)

// The objects' numbers: NSS takes any that have the two highest bits clear and are not 0.
const (
	certificateObject = 0x04000001
	trustObject       = 0x04000002
)

// columns are those of nssPublic, behind the number of the object.
var columns = []string{
	attributeClass, attributeToken, attributePrivate, attributeLabel, attributeValue,
	attributeCertType, attributeIssuer, attributeSerial, attributeSubject, attributeID,
	attributeModifiable, attributeServerAuth, attributeClientAuth, attributeCodeSigning,
	attributeEmail, attributeStepUp, attributeHash,
}

// longestCertificate fits into a page of the file with all that is said of it.
const longestCertificate = 12 << 10

// trustDatabase returns a cert9.db in which an authority is trusted for servers, and for nothing
// else.
func trustDatabase(authority *x509.Certificate) ([]byte, error) {
	if len(authority.Raw) > longestCertificate {
		return nil, fmt.Errorf("a certificate of %d bytes: Firefox is told of %d at most",
			len(authority.Raw), longestCertificate)
	}
	serial, err := asn1.Marshal(authority.SerialNumber)
	if err != nil {
		return nil, err
	}
	id, hash := sha1.Sum(authority.RawSubjectPublicKeyInfo), sha1.Sum(authority.Raw)
	yes, no := []byte{1}, []byte{0}
	return sqliteFile("nssPublic", columns, []sqliteRow{
		{certificateObject, map[string][]byte{
			attributeClass: ulong(classCertificate), attributeToken: yes, attributePrivate: no,
			attributeLabel: []byte("warcorder"), attributeValue: authority.Raw,
			attributeCertType: ulong(0), // X.509
			attributeIssuer:   authority.RawIssuer, attributeSerial: serial,
			attributeSubject: authority.RawSubject, attributeID: id[:], attributeModifiable: yes,
		}},
		{trustObject, map[string][]byte{
			attributeClass: ulong(classTrust), attributeToken: yes, attributePrivate: no,
			attributeLabel: []byte("warcorder"), attributeModifiable: yes,
			attributeIssuer: authority.RawIssuer, attributeSerial: serial, attributeHash: hash[:],
			attributeServerAuth: ulong(trustedAuthority), attributeClientAuth: ulong(notByThis),
			attributeCodeSigning: ulong(notByThis), attributeEmail: ulong(notByThis),
			attributeStepUp: no,
		}},
	}), nil
}

func ulong(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
