package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/proxy/admin"
)

type caCommand struct {
	Out  string `placeholder:"DIR" type:"path"`
	SPKI bool   `name:"spki"`
}

// Run prints or writes the certificate that clients have to trust: the root of this installation,
// which is made if there is none yet, or of the authority that ca-cert names.
func (c *caCommand) Run(line *commandLine) error {
	authority, err := line.authority()
	if err != nil {
		return err
	}
	for _, remark := range authority.Remarks() {
		fmt.Fprintf(os.Stderr, "warcorder: %s: %s\n", authority.File(), remark)
	}
	switch {
	case c.SPKI:
		chain, err := certs.Parse(authority.PEM())
		if err != nil {
			return err
		}
		_, err = fmt.Println(certs.Pin(chain[0]))
		return err
	case c.Out != "":
		files, err := authority.Export(c.Out)
		if err != nil {
			return err
		}
		_, err = fmt.Println(strings.Join(files, "\n"))
		return err
	}
	_, err = os.Stdout.Write(authority.PEM())
	return err
}

// authority opens the authority that signs: that of ca-cert, or the root certificate of this
// installation.
func (line *commandLine) authority() (*certs.Authority, error) {
	switch {
	case line.CACert != "" && line.CAKey != "":
		return certs.OpenOwn(line.CACert, line.CAKey)
	case line.CACert != "":
		return nil, errors.New("ca-cert is set, and ca-key is not: give the private key of its first " +
			"certificate too")
	case line.CAKey != "":
		return nil, errors.New("ca-key is set, and ca-cert is not: give the certificate of this key too")
	}
	dir, err := line.caDir()
	if err != nil {
		return nil, err
	}
	authority, err := certs.Open(dir)
	return authority, explainCADir(err)
}

// remarkOn says on the log what an operator should know of the certificates.
func remarkOn(authority *certs.Authority, log zerolog.Logger) {
	for _, remark := range authority.Remarks() {
		log.Warn().Str("certificate", authority.File()).Str("remark", remark).
			Msg("what clients will make of the authority")
	}
}

// explainCADir says what to do about a place for the root certificate that is of no use.
func explainCADir(err error) error {
	for _, unusable := range []error{fs.ErrPermission, syscall.ENOTDIR, syscall.EROFS} {
		if errors.Is(err, unusable) {
			return fmt.Errorf("%w; give another place with --ca-dir", err)
		}
	}
	return err
}

// caDir returns the directory of the root certificate, which need not be there.
func (line *commandLine) caDir() (string, error) {
	if line.CADir != "" {
		return line.CADir, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for the root certificate: %w; give one with --ca-dir", err)
	}
	return filepath.Join(config, "warcorder"), nil
}

// offered is what clients have to trust, as the recorder's own pages offer it.
func offered(authority *certs.Authority) (ca admin.Authority, err error) {
	ca = admin.Authority{PEM: authority.PEM(), DER: authority.DER(), Name: authority.Name(),
		Password: certs.ExportPassword, Institution: authority.IsOthers()}
	if ca.PKCS12, err = authority.PKCS12(); err != nil {
		return ca, err
	}
	ca.Mobileconfig, err = authority.Mobileconfig()
	return ca, err
}
