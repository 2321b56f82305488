package collection

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// tokenBytes are the random bytes of a token; the file has them in hex.
const tokenBytes = 32

// MakeToken writes a new recorder.token, and returns the token: 64 hex digits, by which whoever may
// read the file shows the recorder that they may. The file is for the owner alone, whatever the
// mode of the others is. It takes the place of what a crash has left, and of a link, which is not
// followed. Whoever calls it has the collection's lock, and announces the recorder afterwards: with
// one recorder.json there is one token.
func (d Dir) MakeToken() (string, error) {
	random := make([]byte, tokenBytes)
	rand.Read(random)
	token := hex.EncodeToString(random)
	err := Write(d.token(), DefaultMode, func(w io.Writer) error {
		_, err := io.WriteString(w, token+"\n")
		return err
	})
	return token, err
}

// DropToken removes recorder.token. A recorder calls it when it answers nobody any more.
func (d Dir) DropToken() error {
	err := os.Remove(d.token())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Token reads recorder.token. It refuses a file that others than its owner may read or write: what
// it holds is no secret, or not the recorder's.
func (d Dir) Token() (string, error) {
	file, err := OpenRegular(d.token())
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // put there since it was looked at
		return "", &fs.PathError{Op: "open", Path: d.token(), Err: errNotRegular}
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("%s has the mode %04o, so that others may have read or written it: it is "+
			"not used", d.token(), mode)
	}
	b, err := io.ReadAll(io.LimitReader(file, 2*tokenBytes+2))
	if err != nil {
		return "", err
	}
	if len(b) != 2*tokenBytes+1 || b[2*tokenBytes] != '\n' {
		return "", fmt.Errorf("%s holds no token", d.token())
	}
	token := string(b[:2*tokenBytes])
	if _, err := hex.DecodeString(token); err != nil {
		return "", fmt.Errorf("%s holds no token", d.token())
	}
	return token, nil
}
