package stores

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/base64"
	"os"
	"strings"
)

// WindowsRoots is the store Root of Windows, which Edge, Chrome and Firefox 120 and later ask.
type WindowsRoots struct {
	Machine bool // that of all accounts
}

func (w WindowsRoots) String() string {
	if w.Machine {
		return "the machine's root certificates"
	}
	return "the account's root certificates: Edge, Chrome, Firefox"
}

// ID implements Store.
func (w WindowsRoots) ID() string { return "windows:" + w.name() }

func (w WindowsRoots) name() string {
	if w.Machine {
		return "LocalMachine"
	}
	return "CurrentUser"
}

// system is the path of a program of Windows: NSS has a certutil too, which PATH may lead to.
func (w WindowsRoots) system(program string) string {
	return cmp.Or(os.Getenv("SystemRoot"), `C:\Windows`) + `\System32\` + program
}

// listing prints each certificate of the store as a line of base64. What certutil prints is in the
// language of the system.
func (w WindowsRoots) listing() []string {
	return []string{w.system(`WindowsPowerShell\v1.0\powershell.exe`), "-NoProfile", "-NonInteractive",
		"-Command", `Get-ChildItem Cert:\` + w.name() +
			`\Root | ForEach-Object { [Convert]::ToBase64String($_.RawData) }`}
}

// Find implements Store.
func (w WindowsRoots) Find(ctx context.Context, search Search) ([]Held, error) {
	lines, err := run(ctx, w.listing())
	if err != nil {
		return nil, err
	}
	return search.held(parseLines(string(lines))), nil
}

// parseLines returns the certificates in lines of base64.
func parseLines(lines string) (all []*x509.Certificate) {
	for line := range strings.Lines(lines) {
		der, err := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
		if err != nil {
			continue
		}
		if cert, err := x509.ParseCertificate(der); err == nil {
			all = append(all, cert)
		}
	}
	return all
}

// certutil is the program of Windows, for this store.
func (w WindowsRoots) certutil(args ...string) []string {
	command := []string{w.system("certutil.exe")}
	if !w.Machine {
		command = append(command, "-user")
	}
	return append(command, args...)
}

// Adding implements Store. Windows asks the person for consent.
func (w WindowsRoots) Adding(_ *x509.Certificate, file string, _ *Held) []Step {
	return []Step{{Run: w.certutil("-addstore", "Root", file)}}
}

// Removing implements Store.
func (w WindowsRoots) Removing(held Held, _, _ string) []Step {
	return []Step{{Run: w.certutil("-delstore", "Root", thumbprint(held.Cert))}}
}
