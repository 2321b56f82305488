//go:build faults

package fault

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Enabled says whether points can fail.
const Enabled = true

// Variable is the environment variable that tells a process what is to fail: "ACTION POINT VALUE",
// or several of them, separated by commas.
//
//	kill POINT N    the process kills itself when it passes the point for the N-th time
//	full POINT N    from the N-th time on the disk is full at the point
//	fail POINT N-M  from the N-th to the M-th time the disk has an I/O error at the point
//	panic POINT N-M from the N-th to the M-th time the point panics
//	slow POINT D    the point takes that long: 100ms
//
// Before a process kills itself, it writes a line to standard error: {"fault":"POINT","hit":N}.
const Variable = "RUN_WITH_FAULT"

var (
	hook atomic.Pointer[func(Point) error]
	plan = sync.OnceValue(func() []*step { return read(os.Getenv(Variable)) })
)

// Set makes h decide what happens at each point of this process; Set(nil) ends that.
func Set(h func(Point) error) {
	if h == nil {
		hook.Store(nil)
		return
	}
	hook.Store(&h)
}

// At marks that the process passes a point. If At returns an error, the step behind the point is to
// fail with it.
func At(p Point) error {
	for _, s := range plan() {
		if s.point != p {
			continue
		}
		if err := s.pass(); err != nil {
			return err
		}
	}
	if h := hook.Load(); h != nil {
		return (*h)(p)
	}
	return nil
}

// step is one "ACTION POINT VALUE" of a plan.
type step struct {
	action string
	point  Point
	number int64
	last   int64 // of a range that begins at number
	pause  time.Duration
	passed atomic.Int64
}

func (s *step) pass() error {
	n := s.passed.Add(1)
	switch {
	case s.action == "slow":
		time.Sleep(s.pause)
	case s.action == "kill" && n == s.number:
		fmt.Fprintf(os.Stderr, "{\"fault\":%q,\"hit\":%d}\n", s.point, n)
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal takes a moment to arrive
	case s.action == "panic" && n >= s.number && n <= s.last:
		panic(fmt.Sprintf("a fault that a test has asked for, at %s", s.point))
	case s.action == "full" && n >= s.number:
		return syscall.ENOSPC
	case s.action == "fail" && n >= s.number && n <= s.last:
		return syscall.EIO
	}
	return nil
}

// read parses the plan in Variable. It panics at a mistake, which is one in a test.
func read(text string) (steps []*step) {
	if text == "" {
		return nil
	}
	for one := range strings.SplitSeq(text, ",") {
		words := strings.Fields(one)
		if len(words) != 3 {
			panic(fmt.Sprintf("%s: %q is not ACTION POINT VALUE", Variable, one))
		}
		s := &step{action: words[0], point: Point(words[1])}
		var err error
		switch s.action {
		case "slow":
			s.pause, err = time.ParseDuration(words[2])
		case "fail", "panic":
			_, err = fmt.Sscanf(words[2], "%d-%d", &s.number, &s.last)
		default:
			s.number, err = strconv.ParseInt(words[2], 10, 64)
		}
		if err != nil {
			panic(fmt.Sprintf("%s: %v", Variable, err))
		}
		steps = append(steps, s)
	}
	return steps
}
