package collection

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Holders names the processes that have locked the directory or the index, as far as the system
// tells: "process 4711 (warcorder export -o -)". It leaves out the process that asks.
func (d Dir) Holders() (names []string) {
	inodes := map[string]bool{}
	for _, path := range []string{string(d), d.Index()} {
		if info, err := os.Stat(path); err == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				inodes[strconv.FormatUint(stat.Ino, 10)] = true
			}
		}
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return nil
	}
	seen := map[int]bool{os.Getpid(): true}
	for line := range strings.Lines(string(locks)) {
		pid, inode, ok := parseLock(line)
		if !ok || !inodes[inode] || seen[pid] {
			continue
		}
		seen[pid] = true
		names = append(names, processName(pid))
	}
	return names
}

// parseLock parses a line of /proc/locks: 1: FLOCK ADVISORY WRITE 4711 fd:01:1234 0 EOF. A process
// that waits for a lock has an arrow before the kind, and is left out.
func parseLock(line string) (pid int, inode string, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[1] == "->" {
		return 0, "", false
	}
	pid, err := strconv.Atoi(fields[4])
	device := strings.Split(fields[5], ":")
	return pid, device[len(device)-1], err == nil && pid > 0
}

// maxCommand is how many bytes of a command line are shown.
const maxCommand = 200

// processName returns how messages name a process.
func processName(pid int) string {
	command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	command = bytes.TrimSpace(bytes.ReplaceAll(command, []byte{0}, []byte(" ")))
	if len(command) == 0 {
		return fmt.Sprintf("process %d", pid)
	}
	return fmt.Sprintf("process %d (%s)", pid, command[:min(len(command), maxCommand)])
}
