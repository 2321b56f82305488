package browser

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job, with which all of its processes end. Our end closes it, however that comes.
type group struct {
	job    windows.Handle
	leader *os.Process
}

// prepare leaves held alone: a file that we have open cannot be removed, which is enough where the
// browser ends with us.
func (g *group) prepare(*exec.Cmd, *os.File) {}

// inherit gives the browser its ends of the pipes, and says which handles they are.
func inherit(cmd *exec.Cmd, driven *pipes) {
	var handles []string
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	for _, file := range driven.theirs {
		handle := syscall.Handle(file.Fd())
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, handle)
		handles = append(handles, strconv.FormatUint(uint64(handle), 10))
	}
	cmd.Args = slices.Insert(cmd.Args, 1, "--remote-debugging-io-pipes="+strings.Join(handles, ","))
}

// begin takes the browser into a job. Where the system gives none, the first process must do.
func (g *group) begin(leader *os.Process) {
	g.leader = leader
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(job, leader.Pid)
	}
	if err != nil {
		windows.CloseHandle(job)
		return
	}
	g.job = job
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false,
		uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}

// ask does what kill does: no signal asks a program with windows to end.
func (g *group) ask() { g.kill() }

func (g *group) kill() {
	if g.job == 0 {
		g.leader.Kill()
		return
	}
	windows.TerminateJobObject(g.job, 1)
}

// isEmpty is true: who ends a job has ended all of its processes.
func (g *group) isEmpty() bool { return true }

func (g *group) close() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
	}
}
