package raced

// Of is how many of n rounds a test makes whose work is one goroutine's, and which the race detector
// makes slow: a tenth where that is at work. CI runs such tests once more without it.
func Of(n int) int {
	if Enabled {
		return max(1, n/10)
	}
	return n
}

// Every is the step from one place to the next of a test that tries each nth place of something: ten
// times as long where Of makes a tenth of the rounds.
func Every(n int) int {
	if Enabled {
		return 10 * n
	}
	return n
}
