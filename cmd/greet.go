package cmd

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"warcorder/certs"
	"warcorder/certs/stores"
	"warcorder/store/collection"
)

// greeting is what a person reads first: with it alone one comes to a capture. A line that is
// indented by ten spaces is a command that works as it stands.
const greeting = `warcorder %s is recording
  proxy   http://%s for HTTP and HTTPS
%s  writes  %s
  trust   http://%s/trust in your browser, or
          %s
  see it  http://%s/
  status  http://%s/status
  try     %s, or
          %s
Stop with Ctrl-C.
`

// greet says where the recorder listens and writes, how to trust the certificate, and what to try.
// asks says that the proxy asks for a name and a password.
func (s *serving) greet(address string, asks bool) {
	certificate := s.now().authority.File()
	replay := s.replayAddress()
	if !s.person {
		log := always(s.log)
		event := log.Info().Str("address", address).Str("collection", string(s.dir)).
			Str("certificate", certificate).Str("version", version)
		if replay != "" {
			event.Str("replay", replay)
		}
		event.Msg("recording")
		return
	}
	others, here := typable(address)
	if replay != "" {
		at, _ := typable(replay)
		replay = "  replay  http://" + at + " for what was recorded\n"
	}
	fmt.Fprintf(s.out, greeting, version, others, replay, s.dir.Archive(), others,
		howToTrust(s.now().authority, address), here, here, commandFor(s.dir, "browser URL"),
		curlLine(here, "http://example.org/", asks))
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

// curlLine is a first request.
func curlLine(address, url string, asks bool) string {
	user := ""
	if asks {
		user = "--proxy-user NAME "
	}
	return "curl " + user + "--proxy http://" + address + " " + url
}

// howToTrust is a command that makes the user's programs trust the certificate, or shows what they
// are to trust: of a file with several certificates they would take the wrong one.
func howToTrust(authority *certs.Authority, address string) string {
	if !authority.IsAlone() {
		_, here := typable(address)
		return "curl http://" + here + "/ca.pem"
	}
	return trustLine(os.Args[0], authority.File())
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

// commandFor is a command of ours for a collection, as a person types it in the same directory.
func commandFor(dir collection.Dir, command string) string {
	line := startedAs(os.Args[0]) + " " + command
	if dir.Name() != "default" {
		line += " --collection " + stores.Quoted(dir.Name())
	}
	all := filepath.Dir(string(dir))
	if !isUsual(all) {
		line += " --dir " + stores.Quoted(all)
	}
	return line
}

// isUsual reports that a folder of collections is the one that a command takes without --dir.
func isUsual(collections string) bool {
	usual, err := filepath.Abs("collections")
	return err == nil && usual == collections
}

// ofGoRun is where go run puts programs: a folder of its own, or its cache, by the hash, wherever that is.
var ofGoRun = regexp.MustCompile(`/go-build|/[0-9a-f]{2}/[0-9a-f]{64}-d/[^/]+$`)

// startedAs is how a person starts the program once more that was started by this name: go run puts
// it where nobody finds it again.
func startedAs(program string) string {
	if ofGoRun.MatchString(filepath.ToSlash(program)) {
		return "go run ."
	}
	return stores.Quoted(program)
}
