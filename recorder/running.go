package recorder

import (
	"os"

	"warcorder/store/collection"
)

// Announce writes recorder.json: where this recorder can be asked from now on. Close removes it.
func (r *Recorder) Announce(addresses ...string) error {
	who := collection.Running{PID: os.Getpid(), Addresses: addresses, Started: r.session.Started}
	return r.dir.Announce(who, r.mode)
}
