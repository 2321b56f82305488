package cmd

import (
	"fmt"
	"runtime"
	"strings"
)

// greet says where it listens and writes, and how to trust the certificate.
func (r *serving) greet(address string) {
	dir, authority := r.dir, r.authority
	if !r.person {
		r.log.Info().Str("address", address).Str("collection", string(dir)).Str("certificate", authority.File()).
			Str("version", version).Msg("recording")
		return
	}
	fmt.Fprintf(r.out, `warcorder %s is recording
  proxy   http://%s   (for HTTP and HTTPS; status: http://%s/status)
  writes  %s
  trust   %s   (for curl: --cacert; for your browsers:)
          %s
Stop with Ctrl-C.
`, version, address, address, dir.Archive(), authority.File(), trustCommand(runtime.GOOS, authority.Name(), authority.File()))
}

// trustCommand makes the user's browsers trust the root certificate, on any account: one that no
// browser has run on has no NSS database yet, and one that knows an older root of ours has its name
// taken, so that each goes by its own.
func trustCommand(system, name, file string) string {
	switch system {
	case "darwin":
		return "security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db " + shellQuoted(
			file)
	case "windows":
		return `certutil -user -addstore Root "` + file + `"`
	}
	return "mkdir -p ~/.pki/nssdb && certutil -d \"sql:$HOME/.pki/nssdb\" -A -t C,, -n " + shellQuoted(
		name) + " -i " + shellQuoted(
		file,
	)
}

// shellQuoted is text as one word of a POSIX shell.
func shellQuoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
