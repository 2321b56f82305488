package browser

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// attributes give the browser a group of its own. It is killed when we are, however that comes.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// allEnded reports that each process of a group is a zombie. Where process 1 of a container asks for
// no children, those of ours stay for ever.
func allEnded(group int) bool {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, process := range processes {
		if _, err := strconv.Atoi(process.Name()); err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + process.Name() + "/stat")
		if err != nil {
			continue
		}
		// behind the name, which may hold anything: state, parent, group
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == strconv.Itoa(group) && fields[0][0] != 'Z' {
			return false
		}
	}
	return true
}
