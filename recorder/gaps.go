package recorder

// The reasons of gaps: why an exchange or a connection is not in the archive, or not all of it.
const (
	GapBlocked   = "blocked"   // the operator's rules forbid it
	GapTunnelled = "tunnelled" // passed on without being read: what follows a 101
	GapRefused   = "refused"   // by the proxy: it could not be understood, was over a limit, or nothing can be recorded at present
	GapUpstream  = "upstream"  // the origin gave no answer
	GapCut       = "cut"       // broke off: the record holds what came
	GapWrite     = "write"     // could not be written
)

// Gap notes that something is missing in the archive: of an exchange its URL, of a connection host:port, or the client's address if it came
// no further. Whoever calls it has logged it, or records what came.
func (r *Recorder) Gap(reason, url, detail string) {}
