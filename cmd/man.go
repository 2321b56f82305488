package cmd

import (
	"io"
	"os"

	"warcorder/cmd/help/man"
)

// manCommand prints the manual page.
type manCommand struct{}

// Run prints the page, of what --help says and when it was committed.
func (manCommand) Run() error {
	parser, err := newParser(new(commandLine))
	if err != nil {
		return err
	}
	_, date := committed()
	date = date[:min(len(date), len("2006-01-02"))]
	_, err = io.WriteString(os.Stdout, man.Page(parser.Model, man.Program{Version: version, Date: date}))
	return err
}
