// Command scale measures an index of millions of captures, which it makes up: how fast it opens, and
// answers what a CDX server is asked. It is no part of CI.
//
//	go run ./store/testdata/scale make -index DIR/index.bolt -captures 50000000 -same 10000000
//	go run ./store/testdata/scale measure -index DIR/index.bolt
//	go run ./store/testdata/scale lines -index DIR/index.bolt >DIR/index.cdxj
//	go run ./store/testdata/scale ask -ours http://127.0.0.1:8070/NAME/cdx -other URL
//
// make takes some 600 bytes of disk for each capture. The captures are a crawl's: site after site,
// each some times, and between them one URL again and again. measure asks the handlers that a
// recorder serves, over HTTP; lines writes the CDXJ lines for another server, and ask asks two servers
// that have the API of pywb for the same, in turn.
//
// Invariant: the same numbers make the same captures, so that measure and ask know what is there.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"warcorder/store"
)

func main() {
	log.SetFlags(log.Ltime)
	commands := map[string]func(*flag.FlagSet, []string) error{
		"make": makeIndex, "measure": measure, "lines": lines, "ask": ask, "record": record,
		"files": files, "operate": operate,
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		log.Fatal("scale make, measure, lines, ask, record, files or operate; -h tells the flags of each")
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	if err := commands[os.Args[1]](flags, os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

// archiveFlags are the numbers that captures are made of.
func archiveFlags(flags *flag.FlagSet) *archive {
	a := &archive{}
	flags.IntVar(&a.captures, "captures", 5_000_000, "captures in all")
	flags.IntVar(&a.same, "same", 1_000_000, "of these, captures of one URL")
	return a
}

func makeIndex(flags *flag.FlagSet, args []string) error {
	a := archiveFlags(flags)
	path := flags.String("index", "", "file to make, which must not be there")
	flags.Parse(args)
	if _, err := os.Stat(*path); err == nil {
		return fmt.Errorf("%s is there already", *path)
	}
	return a.make(*path)
}

// lines writes all lines of an index, in order.
func lines(flags *flag.FlagSet, args []string) error {
	path := flags.String("index", "", "file of the index")
	flags.Parse(args)
	index, err := store.OpenReadOnly(*path)
	if err != nil {
		return err
	}
	defer index.Close()
	_, err = index.Export(os.Stdout, store.Query{}, nil)
	return err
}

// quantile is that of times, which are sorted.
func quantile(times []time.Duration, share float64) time.Duration {
	return times[int(share*float64(len(times)-1))]
}

// say prints the median and the 99th of a hundred of times.
func say(w io.Writer, name string, times []time.Duration, more string) {
	slices.Sort(times)
	fmt.Fprintf(w, "%-34s %6d times  median %10v  p99 %10v  %s\n", name, len(times),
		quantile(times, .5).Round(10*time.Microsecond), quantile(times, .99).Round(10*time.Microsecond), more)
}
