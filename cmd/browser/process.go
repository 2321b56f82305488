package browser

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// process is a browser's first process. Its children are in its group (on Windows, its job), which
// ends with it and, where the system can do that, with us.
type process struct {
	cmd   *exec.Cmd
	group group
	tail  tail
	done  chan struct{} // closed when the first process has ended
	err   error         // how; to be read once done is closed
}

// How long a browser may take to end by itself, and how long its children may then take.
const (
	endPatience = 3 * time.Second
	look        = 20 * time.Millisecond
)

// start starts cmd, which inherits held, and its ends of the pipes unless there are none.
func start(cmd *exec.Cmd, held *os.File, driven *pipes) (*process, error) {
	if driven != nil {
		defer driven.inherited()
		inherit(cmd, driven)
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	cmd.Stderr, cmd.Stdout = &p.tail, nil
	cmd.WaitDelay = time.Second // a child of the browser's may hold standard error
	p.group.prepare(cmd, held)
	began := make(chan error)
	go p.run(began)
	if err := <-began; err != nil {
		if driven != nil {
			driven.close()
		}
		return nil, err
	}
	return p, nil
}

// run starts the browser and waits for it, on one thread: on Linux the browser ends with the thread
// that has started it.
func (p *process) run(began chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		p.group.begin(p.cmd.Process)
	}
	began <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	if errors.Is(p.err, exec.ErrWaitDelay) {
		p.err = nil
	}
	close(p.done)
}

// end ends the browser and its children. It returns when none is left.
func (p *process) end() {
	defer p.group.close()
	p.group.ask()
	if !p.within(endPatience, func() bool { return p.hasEnded() && p.group.isEmpty() }) {
		p.group.kill()
		<-p.done
		p.within(endPatience, p.group.isEmpty)
	}
}

func (p *process) hasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// within waits until what is asked for holds, for some time; processes that are nobody's children
// tell nobody when they end.
func (p *process) within(patience time.Duration, holds func() bool) bool {
	for end := time.Now().Add(patience); !holds(); time.Sleep(look) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// How much is kept of what a browser says.
const (
	tailBytes = 8 << 10
	tailLines = 8
)

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[max(0, len(b)-tailBytes):]...)
	if excess := len(t.text) - tailBytes; excess > tailBytes {
		t.text = append(t.text[:0], t.text[excess:]...)
	}
	return len(b), nil
}

// said are the last lines, each indented on a line of its own. What is no text is left out: a
// terminal would take it for commands.
func (t *tail) said() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\uFFFD' {
			return -1
		}
		return r
	}, string(t.text[max(0, len(t.text)-tailBytes):]))
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
	lines = lines[max(0, len(lines)-tailLines):]
	if len(lines) == 0 {
		return ""
	}
	return "\n  " + strings.Join(lines, "\n  ")
}
