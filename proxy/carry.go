package proxy

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// carried is a panic of a goroutine that works for a session, on its way to the session's own.
type carried struct {
	value any
	stack []byte
}

func (c *carried) String() string { return fmt.Sprintf("%v\n%s", c.value, c.stack) }

// carry is deferred by such a goroutine: its panic is kept in to, and ends the session where that
// learns how the goroutine has ended (rethrow).
func carry(to **carried) {
	if value := recover(); value != nil {
		*to = &carried{value, debug.Stack()}
	}
}

// rethrow goes on with a panic that was carried.
func rethrow(from **carried) {
	if c := *from; c != nil {
		*from = nil
		panic(c)
	}
}

var errPanic = errors.New("warcorder broke")
