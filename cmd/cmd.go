// Package cmd is the command line of warcorder: one file a command, and the files that they share.
//
// A command is a struct, whose fields are its flags, with a method Run. Run makes the parts that
// the command needs, and ends them in reverse order; the work itself is that of other packages. A
// flag may be set on the command line, in the environment or in the configuration file.
//
// Invariant: what a command is asked for goes to standard output, and all else (log, progress,
// advice, errors) to standard error. The exit status is 0 only if nothing is wrong.
package cmd

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"warcorder/cmd/help"
	"warcorder/cmd/supervisor"
	"warcorder/proxy/access"
	"warcorder/proxy/admin"
	"warcorder/proxy/dial"
	"warcorder/proxy/dns"
	"warcorder/proxy/hosts"
	"warcorder/proxy/http1"
	"warcorder/proxy/route"
	"warcorder/recorder"
	"warcorder/store/warc/v09"
)

// commandLine is the whole command line. Its flags are the keys of the configuration file, and
// WARCORDER_* in the environment.
type commandLine struct {
	Config  kong.ConfigFlag `placeholder:"FILE" env:"WARCORDER_CONFIG"`
	All     help.All        `name:"help-all" env:"-"`
	Log     string          `enum:"auto,text,json" default:"auto"`
	Level   string          `name:"log-level" enum:"error,warn,info" default:"info"`
	Verbose bool
	Quiet   bool
	CADir   string `name:"ca-dir" placeholder:"DIR"`
	CACert  string `name:"ca-cert" placeholder:"FILE"`
	CAKey   string `name:"ca-key" placeholder:"FILE"`

	volume volume     // of the log, as it is now
	file   fileConfig // what the configuration file says; nil without one

	settings func() []shown // all there are, and where each comes from; nil before they are read

	args  []string     // of the start
	flags []*kong.Flag // as they were read then

	Record   recordCommand   `cmd:"" default:"withargs"`
	Browser  browserCommand  `cmd:""`
	Capture  captureCommand  `cmd:""`
	Run      runCommand      `cmd:""`
	Replay   replayCommand   `cmd:""`
	Serve    serveCommand    `cmd:""`
	Export   exportCommand   `cmd:""`
	Settings configCommand   `cmd:"" name:"config"`
	Push     pushCommand     `cmd:""`
	Extract  extractCommand  `cmd:""`
	HAR      harCommand      `cmd:"" name:"har"`
	WACZ     waczCommand     `cmd:"" name:"wacz"`
	Lookup   lookupCommand   `cmd:""`
	Key      keyCommand      `cmd:""`
	Pages    pagesCommand    `cmd:""`
	Report   reportCommand   `cmd:""`
	Gaps     gapsCommand     `cmd:""`
	Status   statusCommand   `cmd:""`
	Pause    pauseCommand    `cmd:""`
	Resume   resumeCommand   `cmd:""`
	Rotate   rotateCommand   `cmd:""`
	Reload   reloadCommand   `cmd:""`
	Recover  recoverCommand  `cmd:""`
	Rebuild  rebuildCommand  `cmd:""`
	Verify   verifyCommand   `cmd:""`
	Import   importCommand   `cmd:""`
	Remove   removeCommand   `cmd:""`
	Uploads  uploadCommand   `cmd:"" name:"upload"`
	Index    indexCommand    `cmd:""`
	CA       caCommand       `cmd:"" name:"ca"`
	Trust    trustCommand    `cmd:""`
	Untrust  untrustCommand  `cmd:""`
	Password passwordCommand `cmd:""`

	Completion completionCommand `cmd:""`
	Man        manCommand        `cmd:""`
	Version    versionCommand    `cmd:""`

	service *supervisor.Supervisor // that this process is a service of; nil: of none, or of systemd
}

// Main runs the command that the arguments name, and returns the exit status of the program.
func Main(args []string) int {
	work := func(by *supervisor.Supervisor) int { return statusOfRun(run(args, by)) }
	if status, is := supervisor.Service("warcorder", work); is {
		return status
	}
	return work(nil)
}

// statusOfRun is the exit status for an error, which it says if nobody has.
func statusOfRun(err error) int {
	if err == nil {
		return 0
	}
	if status := exitStatus(0); errors.As(err, &status) {
		return int(status)
	}
	if !errors.Is(err, errSaid) {
		fmt.Fprintln(os.Stderr, "warcorder:", err)
	}
	return 1
}

// errSaid is the error of a command that has said what is wrong.
var errSaid = errors.New("see the log")

// exitStatus is the error of a command that has nothing to say but its exit status.
type exitStatus int

func (e exitStatus) Error() string { return "exit status " + strconv.Itoa(int(e)) }

func run(args []string, by *supervisor.Supervisor) error {
	line := commandLine{service: by}
	parser, err := newParser(&line)
	if err != nil {
		return err
	}
	args = asMeant(args)
	ctx, err := parser.Parse(args)
	if read := contextOf(ctx, err); isCheck(read) {
		return line.checkConfig(read, args, err)
	}
	if err != nil {
		return explainParse(err, parser.Model, args)
	}
	if err := refuseEmpty(ctx); err != nil {
		return err
	}
	if err := checkVariables(parser.Model, os.Environ()); err != nil {
		return err
	}
	if by != nil && ctx.Command() != "record" {
		return fmt.Errorf("a service records: %s is for a terminal", ctx.Command())
	}
	line.noteRead(ctx, args)
	return ctx.Run(&line)
}

// asMeant returns the arguments for what people try who do not know the program yet: help, help
// COMMAND and --version.
func asMeant(args []string) []string {
	switch {
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	return args
}

// withoutValues takes out of an error what kong adds to it of a flag that the environment sets: the
// whole value, which may be a password or the hash of one.
func withoutValues(text string) string {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		added := fmt.Sprintf(" (from envar %s=%q)", name, value)
		text = strings.ReplaceAll(text, added, " (in the environment: "+name+")")
	}
	return text
}

func newParser(line *commandLine) (*kong.Kong, error) {
	return kong.New(
		line,
		kong.Name("warcorder"),
		kong.Description("A recording proxy for web archives: each exchange byte for byte, in WARC files."),
		kong.DefaultEnvars("WARCORDER"),
		kong.Configuration(line.readConfig),
		kong.PostBuild(func(parser *kong.Kong) error {
			err := help.Explain(parser.Model, configKeys(parser.Model))
			if err == nil {
				err = fillIn(parser.Model, proxyDefaults(), recorderDefaults(), map[string]string{
					"readers":      admin.DefaultReaders,
					"serve_listen": serveListen,
					"reasons":      strings.Join(recorder.GapReasons, ","),
					"list":         strings.Join(recorder.GapReasons, ", "),
					"file_size":    sizeText(v09.DefaultTarget),
				})
			}
			return err
		}),
		kong.KindMapper(reflect.Int, wholeNumber(reflect.TypeFor[int]())),
		kong.KindMapper(reflect.Int64, wholeNumber(reflect.TypeFor[int64]())),
		kong.NamedMapper("size", kong.MapperFunc(parseSize)),
		kong.NamedMapper("moment", kong.MapperFunc(parseMoment)),
		kong.NamedMapper("rules", kong.MapperFunc(parseRules)),
		kong.NamedMapper("replay-rules", kong.MapperFunc(parseReplayRules)),
		kong.NamedMapper("client-certs", kong.MapperFunc(parseClientCerts)),
		kong.NamedMapper("hosts", parseHosts(hosts.ParseWords)),
		kong.TypeMapper(reflect.TypeFor[hosts.List](), hostListMapper{}),
		kong.TypeMapper(reflect.TypeFor[hosts.Networks](), kong.MapperFunc(parseNetworks)),
		kong.TypeMapper(reflect.TypeFor[route.Routes](), kong.MapperFunc(parseRoutes)),
		kong.TypeMapper(reflect.TypeFor[access.Users](), kong.MapperFunc(parseUsers)),
		kong.TypeMapper(reflect.TypeFor[hosts.Set](), kong.MapperFunc(parseSet)),
		kong.TypeMapper(reflect.TypeFor[http1.Codings](), textMapper(http1.ParseCodings)),
		kong.TypeMapper(reflect.TypeFor[dns.Servers](), textMapper(dns.ParseServers)),
		kong.TypeMapper(reflect.TypeFor[dial.SourceAddress](), textMapper(dial.ParseSourceAddress)),
		kong.Help(help.Print),
	)
}
