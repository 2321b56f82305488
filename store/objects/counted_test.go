package objects

import "sync/atomic"

// counted adds up what it is told, by any goroutine.
func counted(to *int64) func(int64) { return func(n int64) { atomic.AddInt64(to, n) } }
