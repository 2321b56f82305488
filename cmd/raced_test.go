package cmd

import "runtime/debug"

// raced says whether the race detector is at work, which takes memory of its own.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	for i := 0; ok && i < len(info.Settings); i++ {
		if info.Settings[i].Key == "-race" {
			return info.Settings[i].Value == "true"
		}
	}
	return false
}
