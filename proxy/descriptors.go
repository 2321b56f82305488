package proxy

import (
	"math"

	"github.com/rs/zerolog"
)

// Each client's connection takes a file descriptor, as does each connection to an origin, each body
// on disk and each file of the collection. The limit on them is shared out before the first client
// comes, so that running out of them cannot cost an exchange its record:
//
//	all ─┬─ own files        WARC files, the index, bodies on disk, clients that are turned away
//	     ├─ kept connections to origins
//	     └─ spare            one for each client, exchangeFiles for each that is busy and for each
//	                         completion that runs

// ownFiles are descriptors that are no client's and no kept connection's.
const ownFiles = 256

// spareDescriptors is how many of so many (0: unknown) clients and exchanges may take.
func spareDescriptors(all uint64) int {
	if all == 0 {
		return math.MaxInt32
	}
	return int(min(all-min(ownFiles, all/4), math.MaxInt32)) - idleLimit(all)
}

// maxIdle is how many connections to origins are kept where descriptors allow it.
const maxIdle = 1024

// idleLimit is how many connections to origins may be kept.
func idleLimit(descriptors uint64) int {
	if descriptors == 0 {
		return maxIdle
	}
	return int(min(maxIdle, descriptors/8))
}

// clientsWithin makes the clients with a limit.
func clientsWithin(limit int, log *zerolog.Logger) *clients {
	return newClients(limit, adviseOf(limit, log))
}

// adviseOf returns how many descriptors there are for clients, and says if the system does not even
// allow as many that wait as limit does. That fewer can be busy at once is the rule, and no reason to
// alarm whoever starts a recorder on a laptop.
func adviseOf(limit int, log *zerolog.Logger) (spare int) {
	all := descriptors()
	if spare = spareDescriptors(all); spare < limit {
		log.Warn().Uint64("descriptors", all).Int("max_connections", limit).
			Int("waiting", min(spare, limit)).Int("busy", spare/(1+exchangeFiles)).
			Msg("the limit on open files allows fewer connections at a time than max-connections: raise " +
				"it (ulimit -n, LimitNOFILE)")
	}
	return spare
}
