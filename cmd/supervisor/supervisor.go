// Package supervisor speaks with what has started the process and looks after it for years: systemd,
// by its notify protocol and by the sockets that it hands on, or the service control manager of
// Windows.
//
// [FromSystemd] returns a [Supervisor] if there is one, and nil otherwise, whose methods do nothing.
// It is told of four phases: a start, which takes as long as a recovery; that the service is ready; a
// reload; and the end. In between it is told, each few seconds, a line for people and that the
// process is alive.
//
// Invariant: nothing waits for a supervisor, and nothing that one says or leaves unsaid changes what
// is recorded, but the wish that the process end. What is said to be alive has been looked at in that
// moment; a process that is stuck is silent.
package supervisor

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// How long what a supervisor waits for may take. It is told these as it goes on, so that a limit of
// its own, made for other services, does not count.
const (
	// a start that has said nothing of its progress for so long is stuck
	startPatience = 5 * time.Minute
	// the next word comes within this
	wordPatience = time.Minute
	// between two words, if no watchdog wants them sooner
	wordEvery = 10 * time.Second
)

// Look is how the supervisor's questions are answered, of a service that is ready. Both are called by
// one goroutine, and must return soon.
type Look struct {
	Status  func() string        // a short line for people
	Stalled func() time.Duration // how long the service has been at one step of its work
}

// phase is what a service is doing.
type phase int

const (
	starting phase = iota
	ready
	reloading
	stopping
)

// word is what a supervisor is told at one moment.
type word struct {
	phase  phase
	isNew  bool          // the phase has just begun
	within time.Duration // that the phase may still take, at least; 0 is what the supervisor thinks
	status string        // a line for people; "" if there is nothing new
	alive  bool
}

// Supervisor is what looks after the process. A nil Supervisor is nobody; its methods may be called
// at once by many.
type Supervisor struct {
	tell  func(word) error
	wrong func(error) // gets the first error of tell; later ones say the same
	every time.Duration
	most  time.Duration  // that a service is alive for at one step; 0 is no limit
	asked chan os.Signal // what the supervisor asks for; nil if it sends signals of the system's

	mu       sync.Mutex
	phase    phase
	untold   []phase // that have begun since the last word, the last of them is phase
	look     Look
	progress string    // of a start
	moved    time.Time // when the start has got on
	until    time.Time // when a phase of stopping is over

	line   string // the last status; the telling goroutine's, as is failed
	failed bool

	wake   chan struct{} // has room for one
	closed chan struct{}
	ended  chan struct{} // closed when the last word is said
	once   sync.Once
}

// watch starts to tell a supervisor how it goes; each few seconds, or when something happens.
func watch(tell func(word) error, every, most time.Duration, wrong func(error)) *Supervisor {
	s := &Supervisor{
		tell: tell, wrong: wrong, every: every, most: most, moved: time.Now(),
		wake: make(chan struct{}, 1), closed: make(chan struct{}), ended: make(chan struct{}),
	}
	go s.run()
	return s
}

// Progress says how far a start has come with what a crash has left. A start of which nothing is
// heard for some minutes is not waited for any longer than the supervisor likes.
func (s *Supervisor) Progress(what string, done, total int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved = time.Now()
	if total > 0 {
		s.progress = fmt.Sprintf("starting: %s is read, %d %%", what, done*100/total)
	}
}

// Ready says that the service does what it is for, and how to ask it from now on.
func (s *Supervisor) Ready(look Look) {
	s.enter(ready, func() { s.look = look })
}

// Reloading says that the service, which is ready, takes a changed configuration, until done is
// called.
func (s *Supervisor) Reloading() (done func()) {
	s.enter(reloading, func() {})
	return func() { s.enter(ready, func() {}) }
}

// Stopping says that the service is coming to its end, within some time. It may be called again when
// that is known better.
func (s *Supervisor) Stopping(within time.Duration) {
	s.enter(stopping, func() { s.until = time.Now().Add(within) })
}

// Signals are what a supervisor asks for that sends none of the system's: SIGTERM for the end, SIGHUP
// for a reload. It is nil of others.
func (s *Supervisor) Signals() <-chan os.Signal {
	if s == nil {
		return nil
	}
	return s.asked
}

// mostUntold is how many phases wait to be told to a supervisor that does not listen. Then the last
// one stands for those that follow.
const mostUntold = 64

// enter begins a phase. From that of stopping there is no way back, whatever a reload says that has
// been under way.
func (s *Supervisor) enter(next phase, note func()) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == stopping && next != stopping || s.phase == starting && next == reloading {
		return
	}
	note()
	switch {
	case s.phase == next:
	case len(s.untold) == mostUntold:
		s.untold[mostUntold-1] = next
	default:
		s.untold = append(s.untold, next)
	}
	s.phase = next
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close says the last word. It does not wait for a supervisor that does not listen.
func (s *Supervisor) Close() {
	if s == nil {
		return
	}
	s.once.Do(func() { close(s.closed) })
	select {
	case <-s.ended:
	case <-time.After(closePatience):
	}
}

// closePatience is how long a supervisor may take to hear the last word.
const closePatience = time.Second

// run tells how it goes until the end.
func (s *Supervisor) run() {
	defer close(s.ended)
	ticker := time.NewTicker(s.every)
	defer ticker.Stop()
	for {
		s.say()
		select {
		case <-ticker.C:
		case <-s.wake:
		case <-s.closed:
			s.sayUntold()
			return
		}
	}
}

// say tells how it goes, and what has begun before that.
func (s *Supervisor) say() {
	if !s.sayUntold() {
		s.mu.Lock()
		now := s.phase
		s.mu.Unlock()
		s.pass(s.wordOf(now, false))
	}
}

// sayUntold tells of each phase that has begun, in their order, and reports whether there was one.
func (s *Supervisor) sayUntold() bool {
	s.mu.Lock()
	untold := s.untold
	s.untold = nil
	s.mu.Unlock()
	for _, one := range untold {
		s.pass(s.wordOf(one, true))
	}
	return len(untold) > 0
}

// pass passes a word on.
func (s *Supervisor) pass(w word) {
	if err := s.tell(w); err != nil && !s.failed {
		s.failed = true
		s.wrong(err)
	}
}

// wordOf is what there is to say in a phase. The service is asked without the lock: an answer may
// take a moment.
func (s *Supervisor) wordOf(p phase, isNew bool) word {
	now := time.Now()
	s.mu.Lock()
	look, progress, moved, until := s.look, s.progress, s.moved, s.until
	s.mu.Unlock()
	w := word{phase: p, isNew: isNew}
	switch p {
	case starting:
		w.status = progress
		if now.Sub(moved) < startPatience {
			w.within = wordPatience
		}
	case ready:
		w.status, w.alive = look.Status(), s.most == 0 || look.Stalled() < s.most
	case reloading:
		w.status, w.alive = "taking a changed configuration", s.most == 0 || look.Stalled() < s.most
	case stopping:
		w.status, w.within = "finishing what is in flight", max(0, until.Sub(now))
		w.alive = w.within > 0
	}
	w.status = oneLine(w.status)
	if w.status == s.line && !isNew {
		w.status = ""
		return w
	}
	s.line = w.status
	return w
}
