package cmd

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// What the linker writes into a release (.ci/release/run), and may be a variable for it alone.
var (
	version      = "0.1.0" // what the warcinfo records and warcorder version say
	commit       = ""      // its whole hash
	commitMoment = ""      // when that was made, RFC 3339 in UTC
)

type versionCommand struct{}

// Run prints the version of the program and of what it is built with.
func (versionCommand) Run() error {
	_, err := io.WriteString(os.Stdout, versionText())
	return err
}

// versionText is what there is to say of the program that runs.
func versionText() string {
	text := fmt.Sprintf("warcorder %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if hash, moment := committed(); hash != "" {
		text += fmt.Sprintf("  commit %s of %s\n", hash, moment)
	} else {
		text += "  of no commit that is known: built from a folder\n"
	}
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return text
	}
	for _, module := range built.Deps {
		switch module.Path {
		case "github.com/elazarl/goproxy", "github.com/nlnwa/gowarc", "go.etcd.io/bbolt":
			text += fmt.Sprintf("  %s %s\n", module.Path, module.Version)
		}
	}
	return text
}

// committed returns the commit that the program was built from, and when that was made: as a release
// says it, or else as Go has found it in the clone. "" is not known.
func committed() (hash, moment string) {
	settings := map[string]string{}
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, one := range built.Settings {
			settings[one.Key] = one.Value
		}
	}
	hash, moment = cmp.Or(commit, settings["vcs.revision"]), cmp.Or(commitMoment, settings["vcs.time"])
	if commit == "" && settings["vcs.modified"] == "true" {
		hash += ", changed since"
	}
	return hash, moment
}
