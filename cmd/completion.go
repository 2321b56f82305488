package cmd

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
)

// completionCommand prints what a shell reads once to complete command lines. What it read asks
// this command again at each TAB, with the words that were typed.
type completionCommand struct {
	Shell string   `arg:"" enum:"bash,zsh,fish"`
	Words []string `arg:"" optional:""`
}

//go:embed completion/warcorder.bash
var bashCompletion string

//go:embed completion/warcorder.zsh
var zshCompletion string

//go:embed completion/warcorder.fish
var fishCompletion string

// Run prints the script of a shell; or, where there are words, what the last one of them may
// become: a line each, with a TAB and what it is behind it. A line that begins with a colon leaves
// it to the shell: names of files (:file), directories (:dir) or commands (:command).
func (c *completionCommand) Run(*commandLine) error {
	if len(c.Words) == 0 {
		script := map[string]string{
			"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion,
		}[c.Shell]
		_, err := io.WriteString(os.Stdout, script)
		return err
	}
	parser, err := newParser(new(commandLine))
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, one := range complete(parser.Model, c.Words) {
		fmt.Fprintln(out, one)
	}
	return out.Flush()
}
