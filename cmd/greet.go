package cmd

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warcorder/certs"
	"warcorder/certs/stores"
)

// greeting is what a person reads first.
const greeting = `warcorder %s is recording
  proxy   http://%s   (for HTTP and HTTPS; status: http://%s/status)
  writes  %s
  trust   %s
Stop with Ctrl-C.
`

// greet says where the recorder listens and writes, and how to trust the certificate.
func (s *serving) greet(address string) {
	certificate := s.authority.File()
	if !s.person {
		s.log.Info().Str("address", address).Str("collection", string(s.dir)).
			Str("certificate", certificate).Str("version", version).Msg("recording")
		return
	}
	others, here := typable(address)
	fmt.Fprintf(s.out, greeting, version, others, here, s.dir.Archive(), s.howToTrust(others))
}

// typable returns what people type for an address that is listened on, on other machines and on this
// one: all addresses are nothing that a browser could be told.
func typable(address string) (others, here string) {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsUnspecified() {
		return address, address
	}
	port := ":" + strconv.Itoa(int(at.Port()))
	here = "127.0.0.1" + port
	if name, err := os.Hostname(); err == nil {
		return name + port, here
	}
	return here, here
}

// howToTrust says what makes the user's programs trust the certificate. Of a file with several of
// them they would take the wrong one.
func (s *serving) howToTrust(address string) string {
	file, name := s.authority.File(), s.authority.Name()
	if !s.authority.IsAlone() {
		return name + "   (http://" + address + "/ca.pem, where that is not done yet)"
	}
	return file + "   (for curl: --cacert; for your browsers:)\n          " +
		trustLine(os.Args[0], file)
}

// trustLine makes the user's browsers trust the root certificate in file.
func trustLine(program, file string) string {
	line := startedAs(program) + " trust"
	var usual commandLine
	if dir, err := usual.caDir(); err == nil && file == certs.RootFile(dir) {
		return line
	}
	return line + " --ca-dir " + stores.Quoted(filepath.Dir(filepath.Dir(file)))
}

// startedAs is how a person starts the program once more that was started by this name: go run puts
// it where nobody finds it again.
func startedAs(program string) string {
	if strings.Contains(filepath.ToSlash(program), "/go-build") {
		return "go run ."
	}
	return stores.Quoted(program)
}
