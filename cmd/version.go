package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is what the warcinfo records and `warcorder version` say.
const version = "0.1.0"

type versionCommand struct{}

// Run prints the version of the program and of what it is built with.
func (versionCommand) Run() error {
	fmt.Printf("warcorder %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, module := range built.Deps {
			switch module.Path {
			case "github.com/elazarl/goproxy", "github.com/nlnwa/gowarc", "go.etcd.io/bbolt":
				fmt.Printf("  %s %s\n", module.Path, module.Version)
			}
		}
	}
	return nil
}
