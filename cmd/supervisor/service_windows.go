package supervisor

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/eventlog"
)

const (
	// serviceEvery is how often the manager hears how a start or an end gets on.
	serviceEvery = 2 * time.Second
	// serviceHint is how long it is to wait for the next word. Without one it takes the service for
	// stuck.
	serviceHint = 30 * time.Second
)

// Service runs work as a Windows service, if the service control manager has started the process; is
// says so. What work writes to standard error, which a service has not, goes to the application log
// of Windows: see events. Work gets the manager as its Supervisor.
func Service(name string, work func(*Supervisor) int) (code int, is bool) {
	if is, err := svc.IsWindowsService(); err != nil || !is {
		return 0, false
	}
	ended := toEventLog(name)
	s := &service{work: work}
	if err := svc.Run(name, s); err != nil {
		fmt.Fprintln(os.Stderr, "warcorder: the service control manager:", err)
		s.code = 1
	}
	os.Stderr.Close()
	<-ended
	return s.code, true
}

// service is what the manager deals with.
type service struct {
	work func(*Supervisor) int
	code int // the exit status of work
}

// Execute runs the service until its work has ended, and passes on what the manager asks for.
func (s *service) Execute(_ []string, asks <-chan svc.ChangeRequest, changes chan<- svc.Status) (
	specific bool, code uint32) {
	teller := &statusTeller{changes: changes}
	manager := watch(teller.tell, serviceEvery, 0, func(error) {})
	manager.asked = make(chan os.Signal, 2)
	ended := make(chan int, 1)
	go func() {
		defer manager.Close()
		ended <- s.work(manager)
	}()
	for {
		select {
		case s.code = <-ended:
			return s.code != 0, uint32(s.code)
		case ask := <-asks:
			switch ask.Cmd {
			case svc.Interrogate:
				changes <- ask.CurrentStatus
			case svc.Stop, svc.Shutdown, svc.PreShutdown:
				manager.ask(syscall.SIGTERM)
			case svc.ParamChange:
				manager.ask(syscall.SIGHUP)
			}
		}
	}
}

// ask passes on what the supervisor asks for. What has not been heard yet is not asked for twice.
func (s *Supervisor) ask(signal os.Signal) {
	select {
	case s.asked <- signal:
	default:
	}
}

// statusTeller tells the manager how it goes.
type statusTeller struct {
	changes chan<- svc.Status
	told    uint32 // words of a phase that is waited for
}

// accepted is what a service that is ready takes.
const accepted = svc.AcceptStop | svc.AcceptPreShutdown | svc.AcceptParamChange

func (t *statusTeller) tell(w word) error {
	if status, is := t.status(w); is {
		t.changes <- status
	}
	return nil
}

// status is a word as the manager has it; is says whether there is anything to say.
func (t *statusTeller) status(w word) (status svc.Status, is bool) {
	switch {
	case w.phase == ready && w.isNew:
		t.told = 0
		return svc.Status{State: svc.Running, Accepts: accepted}, true
	case w.phase == starting && w.within > 0:
		status.State = svc.StartPending
	case w.phase == stopping && w.within > 0:
		status.State = svc.StopPending
	default:
		return status, false
	}
	t.told++
	status.CheckPoint, status.WaitHint = t.told, uint32(serviceHint.Milliseconds())
	return status, true
}

// toEventLog has what is written to standard error go to the application log of Windows. ended is
// closed when the last line is there, behind the end of standard error.
func toEventLog(name string) (ended chan struct{}) {
	ended = make(chan struct{})
	log, err := eventlog.Open(name)
	if err != nil {
		close(ended)
		return ended // there is nowhere to say so
	}
	lines, errors, err := os.Pipe()
	if err != nil {
		close(ended)
		return ended
	}
	os.Stderr = errors
	go func() {
		defer close(ended)
		events(lines, log)
		log.Close()
	}()
	return ended
}

// eventID is the one event of ours. Windows shows its text as it is where the source is registered
// with EventCreate.exe, which has the texts of the events 1 to 1000.
const eventID = 1

// mostEvent is how many bytes of a line an event takes: Windows has room for 31,839 characters.
const mostEvent = 30000

// events puts each line of a log into the application log, but for those of captures: there are as
// many as requests, and the index has them. What is longer than an event is cut.
func events(lines io.Reader, log *eventlog.Log) {
	in := bufio.NewReaderSize(lines, mostEvent)
	for {
		line, isCut, err := in.ReadLine()
		text := string(bytes.TrimSpace(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		for isCut && err == nil {
			_, isCut, err = in.ReadLine()
		}
		switch kindOf(text) {
		case eventlog.Info:
			_ = log.Info(eventID, text) // a log that takes nothing is no reason to end
		case eventlog.Warning:
			_ = log.Warning(eventID, text)
		case eventlog.Error:
			_ = log.Error(eventID, text)
		}
		if err != nil {
			return
		}
	}
}

// kindOf is what kind of event a line is; 0 if it is none. What is no line of JSON is what a command
// says last.
func kindOf(line string) uint32 {
	switch {
	case line == "" || strings.HasSuffix(line, `"message":"capture"}`):
		return 0
	case strings.HasPrefix(line, `{"level":"warn"`):
		return eventlog.Warning
	case strings.HasPrefix(line, `{"level":"info"`):
		return eventlog.Info
	}
	return eventlog.Error
}
