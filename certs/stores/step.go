package stores

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"
)

// Step is one thing to do: a command to run, or else a file to write or to remove.
type Step struct {
	Run  []string // a program and its arguments; no shell reads them
	Undo []string // what takes back what Run may have left when it failed

	Make   string // a directory, with those above it
	Write  string // a file
	Remove string // a file
	Text   []byte // what is in the file that is written, or what the command reads
}

// String is the step as one would type it.
func (s Step) String() string {
	switch {
	case s.Make != "":
		return "mkdir -p " + Quoted(s.Make)
	case s.Write != "":
		return "write " + Quoted(s.Write)
	case s.Remove != "":
		return "rm " + Quoted(s.Remove)
	}
	words := make([]string, len(s.Run))
	for i, word := range s.Run {
		words[i] = Quoted(word)
	}
	line := strings.Join(words, " ")
	if s.Text != nil {
		line = "echo " + Quoted(strings.TrimSpace(string(s.Text))) + " | " + line
	}
	return line
}

// Quoted is a word as a POSIX shell reads it.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) ||
			strings.ContainsRune("-_=+:,./@", r)
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Do takes steps until one fails, and then takes back what that one and the files before it have
// left.
func Do(ctx context.Context, steps []Step) error {
	for i, step := range steps {
		if err := step.do(ctx); err != nil {
			for ; i >= 0; i-- {
				steps[i].undo()
			}
			return err
		}
	}
	return nil
}

func (s Step) do(ctx context.Context) error {
	switch {
	case s.Make != "":
		return os.MkdirAll(s.Make, 0o700)
	case s.Write != "":
		return writeNew(s.Write, s.Text)
	case s.Remove != "":
		return os.Remove(s.Remove)
	}
	_, err := feed(ctx, s.Run, s.Text)
	return err
}

// undo leaves out what was there before: a directory, a file that is not ours to write again.
func (s Step) undo() {
	switch {
	case s.Write != "":
		os.Remove(s.Write)
	case s.Undo != nil:
		run(context.Background(), s.Undo)
	}
}

// writeNew writes a file that all may read, under another name first: who reads the directory in
// between finds no half of it.
func writeNew(file string, text []byte) error {
	half := filepath.Join(filepath.Dir(file), ".new-"+filepath.Base(file))
	defer os.Remove(half)
	if err := os.WriteFile(half, text, 0o644); err != nil {
		return err
	}
	return os.Rename(half, file)
}

// ErrPassword says that a database has a password (Firefox: a primary password), by which its trust
// is guarded.
var ErrPassword = errors.New("a primary password guards it: import the certificate in the " +
	"browser's settings (warcorder ca --out DIR writes it)")

// run returns what a command prints; its error has what the command said of it.
func run(ctx context.Context, command []string) ([]byte, error) { return feed(ctx, command, nil) }

// feed is run for a command that reads.
func feed(ctx context.Context, command []string, in []byte) ([]byte, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin = bytes.NewReader(in)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{Program: filepath.Base(command[0])}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if bytes.Contains(said.Bytes(), []byte("SEC_ERROR_BAD_PASSWORD")) {
		return out, ErrPassword
	}
	if text := strings.TrimSpace(said.String()); text != "" {
		return out, fmt.Errorf("%s: %w: %s", filepath.Base(command[0]), err, oneLine(text))
	}
	return out, fmt.Errorf("%s: %w", filepath.Base(command[0]), err)
}

// maxSaid bounds what an error repeats of a command's words.
const maxSaid = 300

// oneLine makes one line of what a command has said.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), maxSaid)]
}

// MissingError says that a program is not installed.
type MissingError struct{ Program string }

func (e *MissingError) Error() string {
	if e.Program != certutil {
		return e.Program + " is not installed"
	}
	return "certutil is not installed: " + toolsOfNSS(func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	})
}

// toolsOfNSS says how the package is installed that has certutil.
func toolsOfNSS(has func(program string) bool) string {
	for _, c := range []struct{ manager, command string }{
		{"apt-get", "apt install libnss3-tools"},
		{"dnf", "dnf install nss-tools"},
		{"zypper", "zypper install mozilla-nss-tools"},
		{"pacman", "pacman -S nss"},
		{"apk", "apk add nss-tools"},
		{"pkg", "pkg install nss"},
	} {
		if has(c.manager) {
			return c.command
		}
	}
	return "it is in the package libnss3-tools or nss-tools"
}
