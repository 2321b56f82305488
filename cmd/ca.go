package cmd

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warcorder/certs"
)

type caCommand struct {
	Out  string `placeholder:"DIR" type:"path"`
	SPKI bool   `name:"spki"`
}

// Run prints or writes the root certificate, which is made if there is none yet.
func (c *caCommand) Run(line *commandLine) error {
	authority, err := line.authority()
	if err != nil {
		return err
	}
	switch {
	case c.SPKI:
		cert, err := x509.ParseCertificate(authority.DER())
		if err != nil {
			return err
		}
		sum := sha256.Sum256(cert.RawSubjectPublicKeyInfo)
		fmt.Println(base64.StdEncoding.EncodeToString(sum[:]))
	case c.Out != "":
		files, err := authority.Export(c.Out)
		if err != nil {
			return err
		}
		fmt.Println(strings.Join(files, "\n"))
	default:
		os.Stdout.Write(authority.PEM())
	}
	return nil
}

// authority opens the root certificate of this installation.
func (line *commandLine) authority() (*certs.Authority, error) {
	dir := line.CADir
	if dir == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("no place for the root certificate: %w; give one with --ca-dir", err)
		}
		dir = filepath.Join(config, "warcorder")
	}
	return certs.Open(dir)
}
