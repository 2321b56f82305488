package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"strings"

	"golang.org/x/term"

	"warcorder/proxy/access"
)

type passwordCommand struct {
	Name string `arg:"" optional:""`
}

// Run prints what proxy-users has of a user. The password is typed at a terminal, unseen and twice,
// or is one line of standard input: on the command line others could see it.
func (c *passwordCommand) Run(*commandLine) error {
	name := c.Name
	if name == "" {
		account, err := user.Current()
		if err != nil {
			return fmt.Errorf("password: give a name: %w", err)
		}
		name = account.Username
	}
	password, err := readPassword(os.Stdin)
	if err != nil {
		return fmt.Errorf("password: %w", err)
	}
	line, err := access.New(name, password)
	if err != nil {
		return fmt.Errorf("password: %w", err)
	}
	_, err = fmt.Println(line)
	return err
}

func readPassword(in *os.File) (string, error) {
	if !term.IsTerminal(int(in.Fd())) {
		return readLine(in)
	}
	first, err := ask(in, "Password: ")
	if err != nil {
		return "", err
	}
	again, err := ask(in, "The same again: ")
	if err != nil {
		return "", err
	}
	if first != again {
		return "", errors.New("the two are not the same")
	}
	return first, nil
}

// ask reads a line that is not shown. Whoever breaks it off has a terminal again that shows what is
// typed.
func ask(in *os.File, prompt string) (string, error) {
	shown, err := term.GetState(int(in.Fd()))
	if err != nil {
		return "", err
	}
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, os.Interrupt)
	defer signal.Stop(broken)
	go func() {
		<-broken
		term.Restore(int(in.Fd()), shown)
		os.Exit(1)
	}()
	fmt.Fprint(os.Stderr, prompt)
	line, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(os.Stderr)
	return string(line), err
}

// maxPasswordLine is beyond what any password has that is taken.
const maxPasswordLine = 4 << 10

// readLine reads one line, which must be all there is: a file with two has something else in it.
func readLine(in io.Reader) (string, error) {
	lines := bufio.NewReader(io.LimitReader(in, maxPasswordLine))
	line, err := lines.ReadString('\n')
	if err != nil && err != io.EOF {
		return "", err
	}
	if _, err := lines.ReadByte(); err == nil {
		return "", errors.New("standard input has more than one line")
	}
	return strings.TrimRight(line, "\r\n"), nil
}
