package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// atTerminal runs warcorder to its end as a person does, whose terminal standard error is.
func (p *program) atTerminal(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	screen, terminal := openTerminal(p.t)
	defer screen.Close()
	cmd := command(p.dir, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, terminal
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	terminal.Close()
	said, _ := io.ReadAll(screen) // to the end of the last one who has the terminal, which is an error
	cmd.Wait()
	return out.String(), string(said), cmd.ProcessState.ExitCode()
}

// openTerminal returns both ends of a new terminal.
func openTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return screen, terminal
}
