// Command load is what the fleet run puts on recorders and between them: an origin whose answers
// follow from their URLs, clients which ask for them by a plan and note what they have got, and a
// proxy before the storage which notes each request and can change bytes. It is for tests alone.
//
//	load origin FOLDER               serves until it is ended; FOLDER gets its addresses
//	load clients FLAG... ADDRESS...  what a plan says, over the recorders at these addresses
//	load between FOLDER STORAGE      passes HTTP on to that address, until it is ended
//
// Invariant: the same seed and flags are the same exchanges, whatever becomes of them on the way.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	switch {
	case len(words) == 2 && words[0] == "origin":
		return serveOrigin(words[1])
	case len(words) == 3 && words[0] == "between":
		return stand(words[1], words[2])
	case len(words) > 1 && words[0] == "clients":
		return askAll(words[1:])
	}
	return errors.New("origin FOLDER, clients FLAG... ADDRESS..., or between FOLDER STORAGE")
}

// leave writes a file that is there as a whole or not at all.
func leave(folder, name, text string) error {
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
