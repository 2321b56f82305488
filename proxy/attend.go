package proxy

import (
	"context"
	"sync"
	"time"
)

// attend watches whether a client is still there while a Source works, if that takes longer than a
// glance: most answers are prompt, and are spared the goroutine. It begins where nobody else reads
// the client any more: when the whole request has come, or what is left of it is not waited for.
type attend struct {
	client *session
	gone   context.CancelFunc // called when the client has gone
	timer  *time.Timer
	firing sync.WaitGroup // the timer's function, from begin on
}

// begin begins to watch, after a glance.
func (a *attend) begin() {
	if a.timer != nil {
		return
	}
	a.firing.Add(1)
	a.timer = time.AfterFunc(glance, func() {
		defer a.firing.Done()
		a.client.in.watch(func(error) {
			a.client.gone.Store(true)
			a.gone()
		})
	})
}

// end ends the watching: whoever calls it may read the client again.
func (a *attend) end() {
	a.disarm()
	a.client.in.unwatch()
}

// abandon is end for a client whose connection is closed, and nothing of which is read again.
func (a *attend) abandon() {
	a.disarm()
	if watching := a.client.in.watching; watching != nil {
		<-watching
	}
}

// disarm waits until the timer does nothing any more.
func (a *attend) disarm() {
	if a.timer == nil {
		return
	}
	if a.timer.Stop() {
		a.firing.Done()
	}
	a.firing.Wait()
	a.timer = nil
}
