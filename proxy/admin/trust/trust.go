// Package trust makes the trust page, by which a person sets up a browser or another program for
// the recorder, sees whether it works, and takes all of it away again; with it the script for
// automatic proxy configuration and the QR code. Facts in, text out: it reads and writes nothing,
// and whose request it is and where it came by are its caller's.
//
// Invariant: the page works without a script and asks nobody but the recorder. Its policy (Policy)
// lets it run its own script alone, by hash, and ask two addresses. No text that a client chose
// gets into it.
package trust

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net"
	"strings"
	"time"
)

// Root is the certificate that clients have to trust, as a person needs to know it.
type Root struct {
	Name        string
	Fingerprint string // SHA-256, in hex with colons, as trust stores show it
	Until       string // a day
	Institution bool   // others made it, and their devices may trust it already
	Password    string // of the PKCS #12 form
}

// RootOf reads a certificate in ASN.1 DER.
func RootOf(name string, der []byte) Root {
	root := Root{Name: name, Fingerprint: fingerprint(der)}
	if cert, err := x509.ParseCertificate(der); err == nil {
		root.Until = cert.NotAfter.UTC().Format(time.DateOnly)
	}
	return root
}

func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	return strings.ReplaceAll(fmt.Sprintf("% X", sum), " ", ":")
}

// Path is where the page is.
const Path = "/trust"

// Facts are the same for all who look at the page.
type Facts struct {
	Root     Root
	Name     string // of the recorder, for who goes through it
	Recorder string // which one this is; the answers at Ask and AskTrust say the same
	Ask      string // the URL that is asked over HTTP
	AskTrust string // and the one over HTTPS
	Live     bool   // at / there is a page on which those who may read see what happens
}

// Visit is one look at the page.
type Visit struct {
	Proxy  string // host:port, as this client reaches the recorder
	Local  bool   // the client is on the recorder's machine
	Phones string // host:port, as other devices reach it; "" if none does
	Pages  string // where the recorder's other pages are, if not here: http://host:port
	System string // the client's, as SystemOf says
}

var (
	//go:embed page.html
	pageText string
	//go:embed steps.html
	stepsText string
	//go:embed style.css
	style string
	//go:embed check.js
	script string

	page = template.Must(template.Must(template.New("page").
		Funcs(template.FuncMap{"sh": shellQuoted}).Parse(stepsText)).Parse(pageText))
)

// view is what the template sees.
type view struct {
	Facts
	Visit
	First  *system
	Others []system
	QR     template.HTML
}

// Style and Script are verbatim, as Policy has their hashes.
func (v *view) Style() template.CSS { return template.CSS(style) }
func (v *view) Script() template.JS { return template.JS(script) }

// Port is the proxy's.
func (v *view) Port() string {
	_, port, _ := net.SplitHostPort(v.Proxy)
	return port
}

// steps are those of one system.
type steps struct {
	Root                           Root
	System, Proxy, Host, Port, PAC string
}

// At is what the steps of a system are made of. A phone does not reach what this machine alone does.
func (v *view) At(s system) steps {
	proxy := v.Proxy
	if s.phone && v.Local {
		proxy = v.Phones
	}
	host, port, _ := net.SplitHostPort(proxy)
	return steps{v.Root, s.ID, proxy, host, port, "http://" + proxy + PACPath}
}

// PhonesURL is the page's URL for other devices.
func (v *view) PhonesURL() string { return "http://" + v.Phones + Path }

// Page returns the page.
func Page(f Facts, visit Visit) ([]byte, error) {
	v := view{Facts: f, Visit: visit}
	v.First, v.Others = systemsFor(visit.System)
	if visit.Local && visit.Phones != "" {
		qr, err := qrCode(v.PhonesURL())
		if err != nil {
			return nil, err
		}
		v.QR = qr
	}
	var out bytes.Buffer
	err := page.Execute(&out, &v)
	return out.Bytes(), err
}

// Policy is the page's Content-Security-Policy.
func Policy(f Facts) string {
	return "default-src 'none'; script-src " + hashOf(script) + "; style-src " + hashOf(style) +
		"; img-src data:; connect-src " + f.Ask + " " + f.AskTrust +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// shellQuoted is text as one word of a POSIX shell.
func shellQuoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
