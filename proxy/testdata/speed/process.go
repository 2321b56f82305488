package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one with all that it has started, as /proc shows them.
type process int

const tick = 10 * time.Millisecond // of /proc/PID/stat, on every Linux that Go runs on

// stat returns the fields behind the name in /proc/PID/stat.
func (p process) stat() []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
	_, fields, _ := strings.Cut(string(text), ") ")
	return strings.Fields(fields)
}

func (p process) tree() []process {
	children := map[process][]process{}
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, _ := strconv.Atoi(filepath.Base(name))
		if fields := process(pid).stat(); len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			children[process(parent)] = append(children[process(parent)], process(pid))
		}
	}
	all := []process{p}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// cpu is the processor time that the tree has used, with that of children which have ended.
func (p process) cpu() (used time.Duration) {
	for _, one := range p.tree() {
		if fields := one.stat(); len(fields) > 14 {
			for _, field := range fields[11:15] {
				ticks, _ := strconv.Atoi(field)
				used += time.Duration(ticks) * tick
			}
		}
	}
	return used
}

// peak is the most memory that the tree's processes have had since forgetPeak, in bytes.
func (p process) peak() (bytes int64) {
	for _, one := range p.tree() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", one))
		if _, rest, ok := strings.Cut(string(text), "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			bytes += kb << 10
		}
	}
	return bytes
}

func (p process) forgetPeak() {
	for _, one := range p.tree() {
		os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", one), []byte("5"), 0)
	}
}

// settle waits until the tree does next to nothing: what a proxy still does after the last answer
// is part of its work.
func (p process) settle() {
	for range 120 {
		before := p.cpu()
		time.Sleep(500 * time.Millisecond)
		if p.cpu()-before <= tick {
			return
		}
	}
}

// proxy is one that is measured.
type proxy struct {
	name    string
	address string
	process process // 0 is one that no figures of a process are wanted of
	archive string  // where its WARC files are; "" if it is not ours
	home    string  // what lies above them
	stop    func()
}

// start runs a program that listens at address, with its output in a file of dir.
func start(name, address, dir string, env []string, command ...string) (*proxy, error) {
	output, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer output.Close()
	program := exec.Command(command[0], command[1:]...)
	program.Env = append(os.Environ(), env...)
	program.Stdout, program.Stderr = output, output
	if err := program.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		program.Wait()
		close(ended)
	}()
	p := &proxy{name: name, address: address, process: process(program.Process.Pid), stop: func() {
		program.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			program.Process.Kill()
		}
	}}
	for range 300 {
		if c, err := net.Dial("tcp4", address); err == nil {
			c.Close()
			return p, nil
		}
		select {
		case <-ended:
			says, _ := os.ReadFile(output.Name())
			return nil, fmt.Errorf("%s has ended: %s", name, says)
		case <-time.After(50 * time.Millisecond):
		}
	}
	p.stop()
	return nil, errors.New(name + " does not listen at " + address)
}

// startOurs starts warcorder, which trusts the origin's root: it records nothing about certificates
// that are not valid.
func startOurs(name, path, address, dir, certificate string, settings ...string) (*proxy, error) {
	home := filepath.Join(dir, name)
	command := append(
		[]string{path, "record", "--listen", address, "--dir", home, "--ca-dir", home, "--log", "json"},
		settings...)
	p, err := start(name, address, dir, []string{"SSL_CERT_FILE=" + certificate}, command...)
	if err == nil {
		p.home, p.archive = home, filepath.Join(home, "default", "archive")
	}
	return p, err
}

// startGuarded starts warcorder as it is for a network that is not trusted: rules for clients and
// for destinations, and a user, as whom it is asked.
func startGuarded(path, address, dir, certificate string) (*proxy, error) {
	const user, hash = "measure:speed", "$2a$10$TIATf9hJ/6t8e2APBGBAe.lOG2WWb6BM5zUEVRfJY8dfbQVY9Q7vu"
	name, _, _ := strings.Cut(user, ":")
	p, err := startOurs(guarded, path, address, dir, certificate,
		"--clients=127.0.0.0/8,10.0.0.0/8,192.168.0.0/16", "--proxy-users="+name+":"+hash,
		"--deny=*.tracker.example,ads.example,169.254.0.0/16,198.51.100.0/24,2001:db8::/32")
	if err == nil {
		p.address = user + "@" + p.address
	}
	return p, err
}
