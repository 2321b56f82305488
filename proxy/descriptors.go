package proxy

import (
	"math"
	"time"
)

const (
	// ownFiles are descriptors that are no client's and no kept connection's: WARC files, the index,
	// bodies on disk, clients that are turned away.
	ownFiles = 256

	// turnedAwayAtOnce is how many clients may at a time still have a moment to read why they are not
	// served.
	turnedAwayAtOnce = 64

	summaryEvery = time.Second
)

// spareDescriptors is how many of so many (0: unknown) clients and exchanges may take.
func spareDescriptors(all uint64) int {
	if all == 0 {
		return math.MaxInt32
	}
	return int(min(all-min(ownFiles, all/4), math.MaxInt32)) - idleLimit(all)
}

// idleLimit is how many connections to origins may be kept.
func idleLimit(descriptors uint64) int {
	if descriptors == 0 {
		return maxIdle
	}
	return int(min(maxIdle, descriptors/8))
}
