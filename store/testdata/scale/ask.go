package main

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// equals is how many questions of each kind must have as many lines for an answer from both servers.
const equals = 30

// ask asks two servers that have the same lines the same questions, in turn.
func ask(flags *flag.FlagSet, args []string) error {
	a := archiveFlags(flags)
	ours := flags.String("ours", "", "URL of the API, without parameters")
	other := flags.String("other", "", "URL of another server's")
	clients := flags.Int("clients", 4, "that ask at once")
	rounds := flags.Int("rounds", 3, "how often to ask each")
	lasting := flags.Duration("duration", 5*time.Second, "of each round of a kind of question")
	ahead := flags.Float64("ahead", 0, "fail unless ours answers so many times as many, and as fast")
	each := flags.Bool("connection-each", false, "with a connection for each question")
	pids := [2]*int{flags.Int("our-pid", 0, "of the process whose processor time is told"),
		flags.Int("other-pid", 0, "the same of the other")}
	flags.Parse(args)
	both := [2]*asker{newAsker(*ours), newAsker(*other)}
	for _, one := range both {
		one.client.Transport.(*http.Transport).DisableKeepAlives = *each
	}
	for _, q := range a.questions() {
		if err := same(both, q); err != nil {
			return err
		}
		var took [2][]time.Duration
		var used [2]time.Duration
		for round := range *rounds {
			for i := range both {
				at := (i + round) % len(both)
				before := processorTime(*pids[at])
				some, err := both[at].many(q, *clients, *lasting)
				used[at] += processorTime(*pids[at]) - before
				if err != nil {
					return err
				}
				took[at] = append(took[at], some...)
			}
		}
		rate, p99 := told(q.name, took, used, *lasting*time.Duration(*rounds))
		if rate < *ahead || p99 < *ahead {
			return fmt.Errorf("%s: ours is ahead less than %.1f times", q.name, *ahead)
		}
	}
	return nil
}

// told prints what both servers did, and returns how far ours is ahead.
func told(name string, took [2][]time.Duration, used [2]time.Duration, lasting time.Duration) (
	rate, p99 float64) {
	for i, server := range []string{"ours", "other"} {
		n := float64(len(took[i]))
		say(os.Stdout, name+", "+server, took[i],
			fmt.Sprintf("%8.1f/s  %6.3f CPU s/1000", n/lasting.Seconds(), used[i].Seconds()/n*1000))
	}
	rate = float64(len(took[0])) / float64(len(took[1]))
	p99 = quantile(took[1], .99).Seconds() / quantile(took[0], .99).Seconds()
	fmt.Printf("%s: %.1f times as many, p99 in 1/%.1f of the time\n", name, rate, p99)
	return rate, p99
}

// same returns an error unless both servers have as many lines for a question.
func same(both [2]*asker, q question) error {
	for n := range uint64(equals) {
		var lines [2]int
		var failed [2]error
		for i := range both {
			lines[i], failed[i] = both[i].lines(q.query(n))
		}
		if err := errors.Join(failed[:]...); err != nil {
			return err
		}
		if lines[0] != lines[1] || !q.lines(lines[0]) {
			return fmt.Errorf("%s, %s: %d lines, and %d from the other", q.name, q.query(n).Encode(),
				lines[0], lines[1])
		}
	}
	return nil
}

// processorTime is what a process has used, as Linux tells it; 0 of none.
func processorTime(pid int) (used time.Duration) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	if fields := strings.Fields(rest); len(fields) > 12 {
		for _, field := range fields[11:13] { // of the user, and of the system
			ticks, _ := strconv.Atoi(field)
			used += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return used
}
