package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"warcorder/cmd/environment"
	"warcorder/store/scratch"
)

// What shells return for a command: one that cannot be run, one that there is not, and, with its
// number added, one that a signal has ended.
const (
	cannotRun exitStatus = 126
	notFound  exitStatus = 127
	bySignal  exitStatus = 128
)

// runLed runs a command whose programs are led through a recorder, and returns its exit status. What
// the command leaves running in the background is not waited for.
func runLed(ctx context.Context, command []string, at *inUse) (exitStatus, error) {
	folder, err := scratch.MakeFolder("run")
	if err != nil {
		return 0, err
	}
	defer folder.Remove()
	led, err := environment.Make(folder.Path, environment.Proxy{Address: at.address, CA: at.ca},
		os.Environ())
	if err != nil {
		return 0, fmt.Errorf("environment of the command: %w", err)
	}
	for _, remark := range led.Remarks {
		fmt.Fprintln(os.Stderr, "warcorder:", remark)
	}
	path, err := findCommand(command[0], led.Variables)
	if err != nil {
		return 0, err
	}
	return wait(ctx, &exec.Cmd{
		Path: path, Args: command, Env: led.Variables,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}, at.signals)
}

// findCommand returns the path of a command, by the PATH of an environment. The error is the exit
// status of a shell, whose words it has said.
func findCommand(name string, variables []string) (string, error) {
	path, err := environment.LookPath(name, variables)
	if err == nil {
		return path, nil
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return "", cannot(name, "there is no such command", notFound)
	}
	return "", cannot(name, "it may not be executed", cannotRun)
}

// cannot says why a command cannot be run.
func cannot(name, why string, status exitStatus) error {
	fmt.Fprintf(os.Stderr, "warcorder: %s: %s\n", printable(name), why)
	return status
}

// wait runs a process to its end. Signals are passed on, but for those that a terminal has sent to
// the process too.
func wait(ctx context.Context, process *exec.Cmd, signals <-chan os.Signal) (exitStatus, error) {
	quits := make(chan os.Signal, 1) // Ctrl-\ is for the process, and not for us
	signal.Notify(quits, syscall.SIGQUIT)
	defer signal.Stop(quits)
	if err := process.Start(); err != nil {
		return 0, cannot(process.Path, err.Error(), cannotRun)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	pass := func(got os.Signal) {
		if got == syscall.SIGTERM || !isForeground() {
			process.Process.Signal(got)
		}
	}
	for {
		select {
		case <-ended: // the status says how
			return statusOfProcess(process.ProcessState), nil
		case got := <-signals:
			pass(got)
		case got := <-quits:
			pass(got)
		case <-ctx.Done():
			process.Process.Signal(syscall.SIGTERM) // its proxy is gone
			<-ended
			return 0, errors.New("the command was ended: nothing is recorded any more")
		}
	}
}

// statusOfProcess is the exit status of a process as a shell has it.
func statusOfProcess(ended *os.ProcessState) exitStatus {
	if how, ok := ended.Sys().(syscall.WaitStatus); ok && how.Signaled() {
		return bySignal + exitStatus(how.Signal())
	}
	return exitStatus(ended.ExitCode())
}
