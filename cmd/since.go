package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"warcorder/store/collection"
	"warcorder/store/delta"
	"warcorder/store/warc"
)

// sinceFlags are those of what writes only what has come since it wrote last.
type sinceFlags struct {
	Since     *string `placeholder:"TOKEN"`
	TokenFile string  `name:"token-file" placeholder:"FILE"`
}

// check refuses what cannot be done, before anything is read.
func (f *sinceFlags) check(format, out string) error {
	if f.Since == nil && f.TokenFile == "" {
		return nil
	}
	if format != "cdxj" {
		return errors.New("--since and --token-file are for --format cdxj")
	}
	since, err := f.since()
	if err == nil && out == "" && !since.IsZero() {
		err = errors.New("--since needs -o: by default export writes the file in which pywb looks for all lines")
	}
	if err != nil || f.TokenFile == "" {
		return err
	}
	if is := collection.Reserved(f.TokenFile); is != "" {
		return fmt.Errorf("--token-file %s has the name of %s, which would be lost: name another file",
			f.TokenFile, is)
	}
	if err := checkOutFile(f.TokenFile); err != nil {
		return fmt.Errorf("--token-file: %s", strings.TrimPrefix(err.Error(), "-o: "))
	}
	return nil
}

// since is the token; nil if everything is wanted and no token.
func (f *sinceFlags) since() (*delta.Token, error) {
	if f.Since == nil && f.TokenFile == "" {
		return nil, nil
	}
	text := ""
	if f.Since != nil {
		text = *f.Since
	}
	if path, is := strings.CutPrefix(text, "@"); is {
		var err error
		if text, err = readToken(path); err != nil {
			return nil, fmt.Errorf("--since: %w (an empty file is the beginning)", err)
		}
	}
	token, err := delta.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("--since: %w", err)
	}
	return &token, nil
}

// readToken reads a file that has a token.
func readToken(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, delta.MaxText+2))
	return string(text), err
}

// keep writes the token of what was written to out, when that is safe.
func (f *sinceFlags) keep(token delta.Token, mode collection.Mode, out string) error {
	if f.TokenFile == "" {
		return nil
	}
	if out != "-" {
		if err := warc.SyncDir(filepath.Dir(out)); err != nil {
			return err
		}
	} else if info, err := os.Stdout.Stat(); err == nil && info.Mode().IsRegular() {
		if err := os.Stdout.Sync(); err != nil { // what is sent to a file is on disk before the token is
			return err
		}
	}
	return collection.Write(f.TokenFile, mode, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, token)
		return err
	})
}

// tell says what a person has to know of what went: also where nobody is there, since it calls for
// something to be done.
func (f *sinceFlags) tell(done delta.Done) {
	if done.Rewritten > 0 {
		say("%s written anew since, by a removal: the earlier lines of these files are void, and those that "+
			"still hold come again", count(done.Rewritten, "file"))
	}
	if done.Gone > 0 {
		say("%s gone since: the earlier lines of these files are void; nothing says what they were",
			count(done.Gone, "file"))
	}
	if done.Unlisted > 0 {
		say("%s removed to be forgotten: nothing says which. Whoever keeps lines by URL, as OutbackCDX does, "+
			"still has theirs: empty that, and begin anew with --since ''",
			count(int(done.Unlisted), "capture"))
	}
}
