// Package cmd is the command line of warcorder: one file a command, and the files that they share.
//
// A command reads the flags and the configuration file, makes the parts, and ends them in reverse
// order. What the parts do is theirs.
package cmd

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"warcorder/proxy"
	"warcorder/recorder"
)

// commandLine is the whole command line. Its flags are the keys of the configuration file, and
// WARCORDER_* in the environment.
type commandLine struct {
	Config kong.ConfigFlag `help:"YAML file with settings; its keys are named like these flags. See config.example.yaml." placeholder:"FILE" env:"WARCORDER_CONFIG"`
	Log    string          `help:"How to log, on standard error: text for people, json for machines, auto by whether it is a terminal." enum:"auto,text,json" default:"auto"`
	CADir  string          `name:"ca-dir" help:"Where the root certificate and its key are kept. Default: warcorder in the user's configuration directory." placeholder:"DIR"`

	Record  recordCommand  `cmd:"" default:"withargs" help:"Record all that passes through the proxy (the default command)."`
	Export  exportCommand  `cmd:"" help:"Write the captures of a collection as sorted CDXJ."`
	Lookup  lookupCommand  `cmd:"" help:"Find the captures of a URL, by any of its keys."`
	Key     keyCommand     `cmd:"" help:"Print every key of a request, or of many as JSON lines."`
	Gaps    gapsCommand    `cmd:"" help:"List what could not be recorded, and why."`
	Recover recoverCommand `cmd:"" help:"Bring files and index of a collection into agreement after a crash, as the next recording would."`
	Rebuild rebuildCommand `cmd:"" help:"Make the index of a collection anew from its WARC files alone."`
	Verify  verifyCommand  `cmd:"" help:"Check WARC files byte for byte, and the index of a collection against them."`
	Import  importCommand  `cmd:"" help:"Convert WARC 0.9 files to WARC 1.1 and add them to a collection."`
	Index   indexCommand   `cmd:"" help:"Add WARC files of any tool to a collection, without writing them anew."`
	CA      caCommand      `cmd:"" name:"ca" help:"Print the root certificate, or write it in every form that browsers take."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// Main runs the command that the arguments name, and returns the exit status of the program.
func Main(args []string) int {
	err := run(args)
	if err == nil {
		return 0
	}
	if !errors.Is(err, errSaid) {
		fmt.Fprintln(os.Stderr, "warcorder:", err)
	}
	return 1
}

// errSaid is the error of a command that has said what is wrong.
var errSaid = errors.New("see the log")

func run(args []string) error {
	var line commandLine
	parser, err := newParser(&line)
	if err != nil {
		return err
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return fmt.Errorf("%w (see warcorder --help)", err)
	}
	return ctx.Run(&line)
}

func newParser(line *commandLine) (*kong.Kong, error) {
	return kong.New(
		line,
		kong.Name("warcorder"),
		kong.Description(
			"A recording proxy for web archiving: every exchange byte for byte in WARC files, indexed at once."),
		kong.DefaultEnvars("WARCORDER"),
		kong.Configuration(readConfig),
		kong.Vars{"reasons": strings.Join(recorder.GapReasons, ",")},
		kong.NamedMapper("size", kong.MapperFunc(parseSize)),
		kong.NamedMapper("rules", kong.MapperFunc(parseRules)),
		kong.NamedMapper("hosts", kong.MapperFunc(parseHosts)),
		kong.TypeMapper(reflect.TypeFor[proxy.HostList](), hostListMapper{}),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
}
