package raced

// Of is how many of n rounds a test makes whose work is one goroutine's, and which the race detector
// makes slow: a tenth where that is at work. CI runs such tests once more without it.
func Of(n int) int {
	if Enabled {
		return max(1, n/10)
	}
	return n
}
