// Command warcorder is a recording forward proxy for web archiving: what passes through it is kept
// byte for byte in WARC files and in an index of captures.
package main

import (
	"os"

	"warcorder/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:])) }
