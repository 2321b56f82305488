package environment

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"software.sslmate.com/src/go-pkcs12"
)

// java returns options for every Java that starts: those that are inherited, and ours behind them,
// since the last one counts. JAVA_TOOL_OPTIONS reaches Java of each age, and Java inside of other
// programs; the launcher alone reads JDK_JAVA_OPTIONS, from Java 9 on. Both print that they are
// there, on standard error. An empty list of hosts without a proxy takes out the loopback that Java
// has in it.
func java(m *maker, name string) string {
	host, port, err := net.SplitHostPort(m.proxy.Address)
	if err != nil {
		m.err = err
		return ""
	}
	had := m.get(name)
	if strings.Contains(had, "-Djavax.net.ssl.trustStore=") {
		m.remark(name + " has a trust store: one with the system's roots and the recorder's takes " +
			"its place")
	}
	options := []string{
		"-Dhttp.proxyHost=" + host, "-Dhttp.proxyPort=" + port,
		"-Dhttps.proxyHost=" + host, "-Dhttps.proxyPort=" + port,
		"-Dhttp.nonProxyHosts=",
		javaWord("-Djavax.net.ssl.trustStore=" + m.trustStore()),
		"-Djavax.net.ssl.trustStoreType=PKCS12",
		"-Djavax.net.ssl.trustStorePassword=" + pkcs12.DefaultPassword,
	}
	return strings.TrimSpace(had + " " + strings.Join(options, " "))
}

// javaWord quotes an option that has blanks or quotes in it. Parts of one word may be in quotes of
// either kind.
func javaWord(option string) string {
	if !strings.ContainsAny(option, " \t\n'\"") {
		return option
	}
	return `"` + strings.ReplaceAll(option, `"`, `"'"'"`) + `"`
}

// trustStore writes the roots and ours as Java takes them, in the cipher that each Java knows: the
// content is public.
func (m *maker) trustStore() string {
	path := filepath.Join(m.folder, "roots.p12")
	roots, err := m.roots(m.get("SSL_CERT_FILE"))
	if err != nil {
		roots = systemRoots()
	}
	store, err := pkcs12.LegacyDES.EncodeTrustStoreEntries(trusted(joined(roots, m.proxy.CA)),
		pkcs12.DefaultPassword)
	if err != nil {
		m.err = fmt.Errorf("trust store of Java: %w", err)
		return path
	}
	return m.write("roots.p12", store)
}

// trusted are the certificates in a text, each under a name of its own. What Go does not understand
// is left out.
func trusted(text []byte) (certs []pkcs12.TrustStoreEntry) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil || block.Type != "CERTIFICATE" {
			continue
		}
		certs = append(certs, pkcs12.TrustStoreEntry{
			Cert: cert, FriendlyName: fmt.Sprintf("%d %s", len(certs), cert.Subject.CommonName),
		})
	}
	return certs
}
