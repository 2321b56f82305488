package cmd

import (
	"os"
	"strings"

	"warcorder/cmd/visiting/chromiumtest"
)

// runAsChromium is what TestMain does in a process that is to be a browser: it is driven over the
// descriptors 3 and 4, and fetches through the proxy that it is told of.
func runAsChromium() {
	proxy := ""
	for _, arg := range os.Args {
		if address, is := strings.CutPrefix(arg, "--proxy-server=http://"); is {
			proxy = address
		}
	}
	chromiumtest.Serve(os.NewFile(3, "commands"), os.NewFile(4, "said"), proxy, func() { os.Exit(3) })
	os.Exit(0)
}
