package replaying

import (
	"context"
	"fmt"

	"warcorder/store/cdxserver"
)

// asking is a recorder that is being asked to replay, which may take it a while: all who need it wait
// for the same answer, each as long as its own request goes on, and nobody else does.
type asking struct {
	done chan struct{} // closed when there is an answer
	err  error         // to be read then; nil if it replays
}

// Open asks the recorder at once that has the collection open, and not when something is asked for.
func (s *Source) Open() error { return s.goBeside(context.Background()) }

// goBeside has the recorder asked that has the collection open. The error is ErrNobody while there is
// none that can be asked.
func (s *Source) goBeside(ctx context.Context) error {
	now := s.startAsking()
	if now == nil {
		return nil
	}
	select {
	case <-now.done:
		return now.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// startAsking begins to ask, unless that goes on already; it is nil if a recorder answers.
func (s *Source) startAsking() *asking {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beside != nil {
		return nil
	}
	if s.asking == nil {
		now := &asking{done: make(chan struct{})}
		s.asking = now
		go func() {
			defer close(now.done)
			now.err = s.askRecorder()
		}()
	}
	return s.asking
}

func (s *Source) askRecorder() error {
	running, err := cdxserver.At(s.Dir)
	var b *beside
	if err == nil {
		b, err = askBeside(running, s.Options, s.Missed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = nil
	switch {
	case err != nil:
		return err
	case s.closed:
		b.told.Close()
		return cdxserver.ErrNobody
	}
	s.beside = b
	go func() {
		<-b.ended
		s.leaveBeside(b)
	}()
	s.Say(fmt.Sprintf("process %d records this collection, and answers for it", running.PID))
	return nil
}
