// Command tools does what a release needs beside Go itself, so that each machine gets the same bytes:
// archives, checksums, the licences of others, and a bill of materials without what differs.
//
//	tools pack FOLDER OUT SECONDS     FOLDER as OUT, .tar.gz or .zip, with one time for all
//	tools list FILE                   what an archive has: mode, size and name, a line each
//	tools unpack FILE FOLDER          unpacks a .zip
//	tools sums FOLDER                 its files as sha256sum lists them
//	tools kind BINARY                 what a program is, and is built for
//	tools modules BINARY              the modules in a program
//	tools components FILE             those in a CycloneDX list
//	tools licences BINARY...          the licences of all that is linked into these
//	tools sbom FILE SECONDS           a CycloneDX list without its maker's hashes, of that time
//
// Invariant: what it writes follows from the bytes and names of what it is given, and from nothing of
// the machine: neither modes, owners, times nor the order of a directory.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tools:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "pack":
		return withTime(args[3], func(at time.Time) error { return pack(args[1], args[2], at) })
	case len(args) == 2 && args[0] == "list":
		return list(os.Stdout, args[1])
	case len(args) == 3 && args[0] == "unpack":
		return unpack(args[1], args[2])
	case len(args) == 2 && args[0] == "sums":
		return sums(os.Stdout, args[1])
	case len(args) == 2 && args[0] == "kind":
		return kind(os.Stdout, args[1])
	case len(args) == 2 && args[0] == "modules":
		return modules(os.Stdout, args[1])
	case len(args) == 2 && args[0] == "components":
		return components(os.Stdout, args[1])
	case len(args) > 1 && args[0] == "licences":
		return licences(os.Stdout, args[1:])
	case len(args) == 3 && args[0] == "sbom":
		return withTime(args[2], func(at time.Time) error { return settle(args[1], at) })
	}
	return fmt.Errorf("unknown arguments %q: see the doc of this program", args)
}

// withTime calls f with a time that is given in seconds since 1970.
func withTime(text string, f func(time.Time) error) error {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return err
	}
	return f(time.Unix(seconds, 0).UTC())
}
