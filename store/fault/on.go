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
// several separated by commas.
//
//	kill POINT N    the process kills itself when it comes to the point for the N-th time
//	full POINT N    from the N-th time on the disk is full at that point
//	fail POINT N-M  from the N-th to the M-th time the disk has an I/O error there
//	panic POINT N-M from the N-th to the M-th time the point panics
//	slow POINT D    the point takes that long: 100ms
//
// A process that kills itself says so before, on standard error: {"fault":"POINT","hit":N}.
const Variable = "WARCORDER_FAULT"

var (
	hook atomic.Pointer[func(Point) error]
	plan = sync.OnceValue(func() []*step { return read(os.Getenv(Variable)) })
)

// Set makes h decide what happens at each point of this process; nil ends that.
func Set(h func(Point) error) {
	if h == nil {
		hook.Store(nil)
		return
	}
	hook.Store(&h)
}

// At is a point that is passed; its error is what the step behind it is to fail with.
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

// step is one thing that is to fail.
type step struct {
	action string
	point  Point
	number int64
	last   int64 // of a range
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
		select {} // until the signal arrives
	case s.action == "panic" && n >= s.number && n <= s.last:
		panic(fmt.Sprintf("a fault that a test has asked for, at %s", s.point))
	case s.action == "full" && n >= s.number:
		return syscall.ENOSPC
	case s.action == "fail" && n >= s.number && n <= s.last:
		return syscall.EIO
	}
	return nil
}

// read reads Variable. A plan that cannot be read is a mistake in a test.
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
