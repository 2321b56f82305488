//go:build unix

package browser

import (
	"os"
	"os/exec"
	"syscall"
)

// group is a process group, whose leader is the browser. A Ctrl-C at the terminal does not reach it:
// what is in flight is finished first.
type group struct{ leader int }

func (g *group) prepare(cmd *exec.Cmd, held *os.File) {
	cmd.SysProcAttr = attributes()
	cmd.ExtraFiles = append(cmd.ExtraFiles, held)
}

// inherit gives the browser its ends of the pipes, as the descriptors 3 and 4.
func inherit(cmd *exec.Cmd, driven *pipes) { cmd.ExtraFiles = driven.theirs[:] }

func (g *group) begin(leader *os.Process) { g.leader = leader.Pid }

func (g *group) ask()   { syscall.Kill(-g.leader, syscall.SIGTERM) }
func (g *group) kill()  { syscall.Kill(-g.leader, syscall.SIGKILL) }
func (g *group) close() {}

// isEmpty reports that the group has no process but such as have ended and were left by who should
// ask how.
func (g *group) isEmpty() bool {
	return syscall.Kill(-g.leader, 0) != nil || allEnded(g.leader)
}
