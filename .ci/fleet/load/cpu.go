package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const tick = 10 * time.Millisecond // of /proc/PID/stat, on every Linux that Go runs on

// cpuOf is the processor time, user and system, that processes have used: IDs with commas.
func cpuOf(processes string) (used time.Duration, err error) {
	for id := range strings.SplitSeq(processes, ",") {
		if id == "" {
			continue
		}
		text, err := os.ReadFile("/proc/" + id + "/stat")
		if err != nil {
			return 0, err
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 13 {
			return 0, fmt.Errorf("/proc/%s/stat says %q", id, text)
		}
		for _, field := range fields[11:13] {
			ticks, err := strconv.Atoi(field)
			if err != nil {
				return 0, err
			}
			used += time.Duration(ticks) * tick
		}
	}
	return used, nil
}

// settled is cpuOf once the processes do next to nothing: what is done after the last answer is
// part of the work. Ten seconds are enough for that.
func settled(processes string) (used time.Duration, err error) {
	for range 20 {
		before, err := cpuOf(processes)
		if err != nil {
			return 0, err
		}
		time.Sleep(500 * time.Millisecond)
		if used, err = cpuOf(processes); err != nil || used-before <= 2*tick {
			return used, err
		}
	}
	return used, nil
}
