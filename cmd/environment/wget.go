package environment

import (
	"fmt"
	"path/filepath"
)

// wgetrc returns settings of wget: the user's own, which this file takes the place of, and behind
// them what leads through the proxy; there a setting counts more than the environment.
func wgetrc(m *maker, name string) string {
	own := m.get(name)
	if home := m.get("HOME"); own == "" && home != "" {
		own = filepath.Join(home, ".wgetrc")
	}
	var had []byte
	if own != "" {
		had, _ = readFile(own) // none, for most users
	}
	ours := fmt.Sprintf("use_proxy = on\nno_proxy =\nhttp_proxy = %[1]s\nhttps_proxy = %[1]s\n"+
		"ca_certificate = %[2]s\n", m.proxy.url(), bundle(m, "SSL_CERT_FILE"))
	return m.write("wgetrc", joined(had, []byte(ours)))
}
