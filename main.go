// Command warcorder is a recording forward proxy for web archiving: what passes through it is kept
// byte for byte in WARC files and in an index of captures.
//
// main reads the command line and the configuration, makes the parts, and ends them in reverse
// order.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/alecthomas/kong"
	"github.com/dustin/go-humanize"
	"github.com/rs/zerolog"
	"github.com/schollz/progressbar/v3"
	"go.yaml.in/yaml/v3"
	"golang.org/x/term"

	"warcorder/canon"
	"warcorder/canon/vector"
	"warcorder/certs"
	"warcorder/cmd/ask"
	"warcorder/cmd/conversion"
	"warcorder/cmd/holder"
	"warcorder/cmd/logqueue"
	"warcorder/proxy"
	"warcorder/proxy/admin"
	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/verify"
	"warcorder/store/warc"
	"warcorder/store/warc/v09"
)

// version is what the warcinfo records and `warcorder version` say.
const version = "0.1.0"

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

// collectionFlags say which collection a command works on.
type collectionFlags struct {
	Collection string `help:"Name of the collection." default:"default"`
	Dir        string `help:"Directory that holds the collections." default:"collections" type:"path"`
}

// path returns the collection's directory.
func (f *collectionFlags) path() (string, error) {
	if f.Collection == "" || f.Collection != filepath.Base(f.Collection) ||
		strings.HasPrefix(f.Collection, ".") {
		return "", fmt.Errorf(
			"--collection %q is not a name: give one without slashes that does not begin with a dot",
			f.Collection)
	}
	return filepath.Join(f.Dir, f.Collection), nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, errSaid) {
			fmt.Fprintln(os.Stderr, "warcorder:", err)
		}
		os.Exit(1)
	}
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

// parseSize reads a number of bytes: 1000000, 1MB, 64MiB.
func parseSize(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("size")
	if err != nil {
		return err
	}
	n, err := humanize.ParseBytes(fmt.Sprint(text.Value))
	if err != nil || n > 1<<62 {
		return fmt.Errorf("%q is not a size: write 500MB or 64MiB", text.Value)
	}
	target.SetInt(int64(n))
	return nil
}

// parseRules reads the path profiles of the configuration file, which arrive as JSON.
func parseRules(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("rules")
	if err != nil {
		return err
	}
	var rules recorder.ProfileRules
	decoder := json.NewDecoder(strings.NewReader(fmt.Sprint(text.Value)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&rules); err != nil {
		return fmt.Errorf(
			"expected a list of name, host, path, decode, encode in the configuration file: %w", err)
	}
	target.Set(reflect.ValueOf(rules))
	return nil
}

// hostListMapper reads --insecure-upstream, which may stand alone for all hosts, or be a list.
type hostListMapper struct{}

// IsBool tells kong that the flag needs no value.
func (hostListMapper) IsBool() bool { return true }

// Decode reads true, false, "host,host" or a list of hosts.
func (hostListMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		return parseHosts(ctx, target)
	}
	target.Set(reflect.ValueOf(proxy.HostList{All: true}))
	return nil
}

// parseHosts reads a list of hosts that must be there. A flag that is given again adds to it: else
// the first --no-record of two would be forgotten in silence, and its hosts recorded. false empties
// it.
func parseHosts(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().IsEOL() {
		return errors.New("say which hosts: bank.example,*.internal.example, or * for all")
	}
	text, err := ctx.Scan.PopValue("hosts")
	if err != nil {
		return err
	}
	list, err := proxy.ParseHostList(fmt.Sprint(text.Value))
	if err != nil {
		return err
	}
	if before := target.Interface().(proxy.HostList); list.All || len(list.Hosts) > 0 {
		list.All = list.All || before.All
		list.Hosts = slices.Concat(before.Hosts, list.Hosts)
	}
	target.Set(reflect.ValueOf(list))
	return nil
}

// --- the configuration file

// fileConfig is a configuration file as kong asks for it: the value and line of each key, nested
// keys joined by "-".
type fileConfig map[string]setting

type setting struct {
	value string
	line  int
	unset bool // null or an empty list: the key is there, and says nothing
}

// readConfig reads a YAML file strictly: duplicate keys are errors here, unknown ones in Validate.
func readConfig(r io.Reader) (kong.Resolver, error) {
	var doc, more yaml.Node
	decoder := yaml.NewDecoder(r)
	if err := decoder.Decode(&doc); err != nil && err != io.EOF {
		return nil, err
	}
	if err := decoder.Decode(&more); err == nil {
		return nil, fmt.Errorf(
			"line %d: a second document begins here, whose settings would count for nothing: join the two",
			more.Line)
	} else if err != io.EOF {
		return nil, err
	}
	config := fileConfig{}
	if len(doc.Content) == 0 {
		return config, nil
	}
	return config, config.add("", doc.Content[0])
}

// add takes the keys of a mapping.
func (c fileConfig) add(prefix string, node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
		return nil
	}
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: expected key: value", node.Line)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name := prefix + key.Value
		if value.Kind == yaml.MappingNode {
			if err := c.add(name+"-", value); err != nil {
				return err
			}
			continue
		}
		if _, twice := c[name]; twice {
			return fmt.Errorf("line %d: %s is set twice", key.Line, name)
		}
		if value.Tag == "!!null" {
			c[name] = setting{line: key.Line, unset: true}
			continue
		}
		text, err := scalar(value)
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", key.Line, name, err)
		}
		c[name] = setting{text, key.Line, value.Kind == yaml.SequenceNode && len(value.Content) == 0}
	}
	return nil
}

// scalar returns a value as a flag would have it; a list is joined by commas.
func scalar(node *yaml.Node) (string, error) {
	switch node.Kind {
	case yaml.ScalarNode:
		return node.Value, nil
	case yaml.SequenceNode:
		if len(node.Content) > 0 && node.Content[0].Kind == yaml.MappingNode {
			rules, err := json.Marshal(plain(node))
			return string(rules), err
		}
		parts := make([]string, len(node.Content))
		for i, one := range node.Content {
			if one.Kind != yaml.ScalarNode {
				return "", errors.New("a list may hold plain values only")
			}
			parts[i] = one.Value
		}
		return strings.Join(parts, ","), nil
	}
	return "", errors.New("expected a value or a list")
}

// plain returns a node as JSON has it; values are strings, as they stand in the file (a decode set
// of [2F, 21] is no number).
func plain(node *yaml.Node) any {
	switch node.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			object[node.Content[i].Value] = plain(node.Content[i+1])
		}
		return object
	case yaml.SequenceNode:
		list := []any{}
		for _, one := range node.Content {
			list = append(list, plain(one))
		}
		return list
	}
	return node.Value
}

// Validate refuses keys that no flag has, with the line.
func (c fileConfig) Validate(app *kong.Application) error {
	known := configKeys(app)
	for name, s := range c {
		if !known[name] {
			return fmt.Errorf("line %d: unknown key %q; config.example.yaml lists all keys", s.line, name)
		}
	}
	return nil
}

// Resolve gives the value of a flag that neither the command line nor the environment has set.
func (c fileConfig) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	s, ok := c[flag.Name]
	if !ok || s.unset {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if value, set := os.LookupEnv(name); set && value != "" {
			return nil, nil
		}
	}
	return s.value, nil
}

// configKeys returns the names that may stand in a configuration file: the flags of record and
// those of all commands.
func configKeys(app *kong.Application) map[string]bool {
	known := map[string]bool{}
	for _, group := range app.AllFlags(true) {
		for _, flag := range group {
			known[flag.Name] = true
		}
	}
	for _, command := range app.Children {
		if command.Name == "record" {
			for _, flag := range command.Flags {
				known[flag.Name] = true
			}
		}
	}
	delete(known, "help")
	delete(known, "config")
	return known
}

// --- record

type recordCommand struct {
	Listen          string        `help:"Address to listen on; port 0 takes a free one." default:"127.0.0.1:8080"`
	APIToken        string        `name:"api-token" help:"Secret that changes over HTTP need, such as POST /record, sent as Authorization: Bearer TOKEN; without one there are none. Better in the environment or the file than on the command line, where others may see it." placeholder:"TOKEN"`
	ShutdownTimeout time.Duration `help:"How long exchanges in flight may go on after SIGINT or SIGTERM. Large ones that are finished and have no records 2 seconds later are left for the next start." default:"10s"`
	collectionFlags
	Proxy    proxy.Config    `embed:""`
	Recorder recorder.Config `embed:""`
}

// Run records until a signal. Whatever becomes of standard error (nobody reads it, whoever did has
// gone, its disk is full), that goes on.
func (c *recordCommand) Run(line *commandLine) error {
	signal.Ignore(syscall.SIGPIPE)
	out := line.queue()
	err := c.record(line, out)
	if err != nil {
		fmt.Fprintln(out.Urgent(), "warcorder:", err)
		err = errSaid
	}
	out.Close(logPatience)
	return err
}

const (
	// bytes of lines that wait for a slow reader; a URL may be as long as a head
	logWaiting  = 4 << 20
	logPatience = 2 * time.Second // for the last lines
)

// record is Run with a place for the log.
func (c *recordCommand) record(line *commandLine, out *logqueue.Queue) error {
	dir, err := c.path()
	if err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	log, person := line.logger(out)
	authority, err := line.authority()
	if err != nil {
		return err
	}
	c.Recorder.Progress = newProgress(out)
	var rec *recorder.Recorder
	err = whenFree(dir, func() (err error) {
		rec, err = recorder.Open(c.Recorder, dir, log)
		return err
	})
	if err != nil {
		return err
	}
	err = c.serve(
		&serving{
			dir:       dir,
			authority: authority,
			rec:       rec,
			signals:   endings(),
			out:       out,
			log:       log,
			person:    person,
		},
	)
	return errors.Join(err, rec.Close())
}

// serving is what serve works with.
type serving struct {
	dir       string
	authority *certs.Authority
	rec       *recorder.Recorder
	signals   <-chan os.Signal
	out       *logqueue.Queue
	log       zerolog.Logger
	person    bool // reads the log
}

// endings gives the signals that end a recording. A SIGHUP that whoever started us has us ignore,
// as nohup does, is none.
func endings() <-chan os.Signal {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals
}

// status is what /status tells.
type status struct {
	recorder.Status
	// lines of the log that found no room: nobody reads it, or its disk is full
	LogDropped int64 `json:"logDropped"`
}

// check refuses settings that cannot be meant. Without a host the listener would be open to the
// whole network.
func (c *recordCommand) check() error {
	if host, _, err := net.SplitHostPort(c.Listen); err != nil || host == "" {
		return fmt.Errorf(
			"--listen %q names no host: write 127.0.0.1:8080, or 0.0.0.0:8080 to let every machine of the network in",
			c.Listen)
	}
	if strings.ContainsFunc(c.APIToken, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New(
			"api-token has spaces or characters in it that are not ASCII: it could not be sent in a header")
	}
	return c.Proxy.Check()
}

// serve runs the proxy until a signal or an error of the listener.
func (c *recordCommand) serve(r *serving) error {
	dir, authority, rec, log := r.dir, r.authority, r.rec, r.log
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("%w: give another address with --listen", err)
	}
	pages := admin.New(
		admin.Authority{PEM: authority.PEM(), DER: authority.DER()},
		func() (any, bool) {
			return status{rec.Status(), r.out.Dropped()}, rec.Ready() == nil
		},
	)
	rec.Index().TempDir = filepath.Join(dir, "spill")
	pages.Handle("GET /export", forProcess(os.Getpid(), exportPage(rec.Index)))
	pages.Handle("GET /gaps", forProcess(os.Getpid(), gapsPage(rec)))
	pages.HandleWithToken("POST /record", c.APIToken, proxy.RecordPage(c.Proxy, rec))
	p := proxy.New(c.Proxy, ln, authority, rec, pages, log)
	if err := rec.Announce(ln.Addr().String()); err != nil {
		ln.Close()
		return err
	}

	r.greet(ln.Addr().String())
	served := make(chan error, 1)
	go func() { served <- p.Serve() }()
	select {
	case err = <-served:
	case s := <-r.signals:
		log.Info().Str("signal", s.String()).Dur("at_most_ms", c.ShutdownTimeout).
			Msg("finishing what is in flight; a second signal ends at once")
	}
	go func() {
		<-r.signals
		log.Warn().Msg("second signal: ended at once")
		r.out.Close(logPatience)
		os.Exit(1)
	}()
	rec.EndBy(time.Now().Add(c.ShutdownTimeout + writingTime))
	ctx, cancel := context.WithTimeout(context.Background(), c.ShutdownTimeout)
	defer cancel()
	p.Shutdown(ctx)
	return err
}

// writingTime is how long after shutdown-timeout what is on disk already may still be made records
// of.
const writingTime = 2 * time.Second

// greet says where it listens and writes, and how to trust the certificate.
func (r *serving) greet(address string) {
	dir, authority := r.dir, r.authority
	if !r.person {
		r.log.Info().Str("address", address).Str("collection", dir).Str("certificate", authority.File()).
			Str("version", version).Msg("recording")
		return
	}
	fmt.Fprintf(r.out, `warcorder %s is recording
  proxy   http://%s   (for HTTP and HTTPS; status: http://%s/status)
  writes  %s
  trust   %s   (for curl: --cacert; for your browsers:)
          %s
Stop with Ctrl-C.
`, version, address, address, filepath.Join(dir, "archive"), authority.File(), trustCommand(runtime.GOOS, authority.Name(), authority.File()))
}

// trustCommand makes the user's browsers trust the root certificate, on any account: one that no
// browser has run on has no NSS database yet, and one that knows an older root of ours has its name
// taken, so that each goes by its own.
func trustCommand(system, name, file string) string {
	switch system {
	case "darwin":
		return "security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db " + shellQuoted(
			file)
	case "windows":
		return `certutil -user -addstore Root "` + file + `"`
	}
	return "mkdir -p ~/.pki/nssdb && certutil -d \"sql:$HOME/.pki/nssdb\" -A -t C,, -n " + shellQuoted(
		name) + " -i " + shellQuoted(
		file,
	)
}

// shellQuoted is text as one word of a POSIX shell.
func shellQuoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// explainRead says what to do about an index that cannot be read.
func explainRead(err error, dir string) error {
	if err == nil {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz*"))
	_, missing := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && missing != nil:
		return fmt.Errorf("there is no collection %s: name one with --collection and --dir", dir)
	case errors.Is(err, fs.ErrNotExist) && len(files) > 0:
		return fmt.Errorf("the index of %s is missing: warcorder recover makes it anew from the %s", dir,
			count(len(files), "WARC file"))
	case errors.Is(err, store.ErrDamaged):
		return fmt.Errorf("%w: warcorder recover makes it anew from the WARC files", err)
	}
	return err
}

// lockPatience is how long a command waits for a collection that another one has open, unless that
// is a recorder: those who read are done in a moment.
const lockPatience = 5 * time.Second

// whenFree opens a collection, and waits some seconds for those who have it open. If they stay it
// says who they are.
func whenFree(dir string, open func() error) error {
	for until := time.Now().Add(lockPatience); ; time.Sleep(100 * time.Millisecond) {
		err := open()
		if !errors.Is(err, store.ErrLocked) {
			return err
		}
		if who, running := runningRecorder(dir); running {
			return fmt.Errorf(
				"collection %s is already being recorded by process %d at %s: use that proxy, stop it, or "+
					"record to another --collection",
				dir, who.PID, strings.Join(who.Addresses, ", "))
		}
		if time.Now().After(until) {
			return fmt.Errorf(
				"collection %s is in use by %s: wait until it has ended, or record to another --collection",
				dir, holders(dir))
		}
	}
}

// runningRecorder returns who records a collection. After a crash recorder.json names one that is
// gone.
func runningRecorder(dir string) (who recorder.Running, running bool) {
	who, err := recorder.ReadRunning(dir)
	return who, err == nil && len(who.Addresses) > 0 && alive(who.PID)
}

// holders names those who have a collection open, as far as the system tells.
func holders(dir string) string {
	names := holder.Of(dir, filepath.Join(dir, "index.bolt"))
	if len(names) == 0 {
		return "another process (a recover or rebuild?)"
	}
	return printable(strings.Join(names, " and "))
}

// alive reports whether there is a process of that number. After a crash recorder.json names one
// that is gone.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission) || runtime.GOOS == "windows"
}

// logger makes the logger; person says whether a human reads it.
func (line *commandLine) logger(out io.Writer) (log zerolog.Logger, person bool) {
	zerolog.TimeFieldFormat = time.RFC3339Nano
	person = line.Log == "text" || line.Log == "auto" && term.IsTerminal(int(os.Stderr.Fd()))
	forWhom := func(out io.Writer) io.Writer {
		if !person {
			return out
		}
		return zerolog.ConsoleWriter{
			Out:        out,
			TimeFormat: time.TimeOnly,
			NoColor:    !term.IsTerminal(int(os.Stderr.Fd())),
		}
	}
	if queue, ok := out.(*logqueue.Queue); ok {
		out = leveled{forWhom(queue), forWhom(queue.Urgent())}
	} else {
		out = forWhom(out)
	}
	return zerolog.New(out).With().Timestamp().Logger(), person
}

// leveled keeps room for warnings and errors when nobody reads the lines of captures.
type leveled struct{ info, urgent io.Writer }

func (l leveled) Write(p []byte) (int, error) { return l.info.Write(p) }

func (l leveled) WriteLevel(level zerolog.Level, p []byte) (int, error) {
	if level >= zerolog.WarnLevel {
		return l.urgent.Write(p)
	}
	return l.info.Write(p)
}

// queue makes the queue between the log and standard error.
func (line *commandLine) queue() *logqueue.Queue {
	var text bytes.Buffer
	log, _ := line.logger(&text)
	return logqueue.New(os.Stderr, logWaiting, func(dropped int64) []byte {
		text.Reset()
		log.Warn().Int64("lines", dropped).
			Msg("lines of this log were dropped: nobody read it, or it could not be written")
		return text.Bytes()
	})
}

// authority opens the root certificate of this installation.
func (line *commandLine) authority() (*certs.Authority, error) {
	dir := line.CADir
	if dir == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("no place for the root certificate: %w; give one with --ca-dir", err)
		}
		dir = filepath.Join(config, "warcorder")
	}
	return certs.Open(dir)
}

// --- export

type exportCommand struct {
	collectionFlags
	Profiles recorder.ProfileRules `name:"keys-profiles" help:"Path profiles, from the configuration file." hidden:"" type:"rules"`
	URL      string                `name:"url" help:"Only captures of this URL." placeholder:"URL"`
	Match    string                `help:"What --url selects: exact, prefix, host, domain." enum:"exact,prefix,host,domain" default:"exact"`
	From     string                `help:"Only captures at or after this time, YYYY to YYYYMMDDhhmmss (UTC)." placeholder:"TS"`
	To       string                `help:"Only captures until the end of this time." placeholder:"TS"`
	By       store.Key             `name:"key" help:"Key that the lines begin with, are sorted by and --url is found by: url, path, wwwoffle, form." enum:"url,path,wwwoffle,form" default:"url"`
	As       canon.Dialect         `name:"dialect" help:"Dialect of the keys and request bodies: pywb, spec, warciojs." default:"pywb"`
	Format   string                `help:"cdxj: a line for each capture. warc-0.9: the WARC files of the collection as files of the draft WARC 0.9, into the directory that -o names." enum:"cdxj,warc-0.9" default:"cdxj"`
	FileSize int64                 `name:"file-size" help:"Size of the files of --format warc-0.9; longer records are cut into segments." default:"500MB" type:"size"`
	NoBodies bool                  `name:"no-request-bodies" help:"Leave request bodies out, which may hold passwords: lines have no requestBody, and their keys say the method alone, so that what was posted cannot be found by what was posted. What stands in a URL stays."`
	Mode     recorder.Mode         `name:"archive-mode" help:"Who may read and write the file; octal." default:"0600"`
	Out      string                `name:"out" short:"o" help:"File to write, - for standard output. Default: indexes/index.cdxj of the collection." placeholder:"FILE"`
}

// Run writes the lines, all of them or none.
func (c *exportCommand) Run(*commandLine) error {
	dir, err := c.path()
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no collection %s: name one with --collection and --dir", dir)
	}
	if c.Format == "warc-0.9" {
		return c.exportOld(dir)
	}
	query := store.Query{
		URL:      c.URL,
		Match:    store.Match(c.Match),
		From:     c.From,
		To:       c.To,
		Key:      c.By,
		Dialect:  c.As,
		NoBodies: c.NoBodies,
	}
	if c.URL != "" && c.By != store.URLKey {
		keyer, err := recorder.NewKeyer(recorder.KeysConfig{Profiles: c.Profiles})
		if err != nil {
			return err
		}
		if query.URL = keyer.Of(c.By, c.URL); query.URL == "" {
			return fmt.Errorf("export: %s has no key %s", c.URL, c.By)
		}
	}
	var exported store.Exported
	write := func(w io.Writer) (err error) {
		exported, err = export(dir, query, w)
		return err
	}
	switch c.Out {
	case "-":
		err = write(os.Stdout)
	case "":
		c.Out = filepath.Join(dir, "indexes", "index.cdxj")
		fallthrough
	default:
		err = writeAtomically(c.Out, os.FileMode(c.Mode), write)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if exported.InOpenFiles > 0 {
		fmt.Fprintf(os.Stderr,
			"%d of %d captures lie in a file that is not finished; until it is its name ends in .open\n",
			exported.InOpenFiles, exported.Lines)
	}
	return nil
}

// export writes the lines from the index, or from the recorder that has it open. When one starts in
// the middle, or ends, or the index is replaced, it goes on behind the last line.
func export(dir string, query store.Query, w io.Writer) (exported store.Exported, err error) {
	lines := store.NewContinuation(w)
	passed, until := int64(-1), time.Now().Add(lockPatience)
	for ; ; lines.Again() {
		exported, err = exportAtRest(dir, query, lines)
		if errors.Is(err, store.ErrLocked) {
			lines.Again()
			exported, err = exportFromRecorder(dir, query, lines)
		}
		switch {
		case errors.Is(err, store.ErrReplaced), errors.Is(err, errBrokeOff) && lines.Lines() > passed:
			passed, until = lines.Lines(), time.Now().Add(lockPatience)
		case errors.Is(err, errNobodyAnswers) && time.Now().Before(until): // who starts, or ends
			time.Sleep(50 * time.Millisecond)
		case errors.Is(err, errNobodyAnswers):
			return exported, unanswered(dir)
		default:
			exported.Lines = lines.Lines()
			return exported, err
		}
	}
}

// exportAtRest writes the lines from the index.
func exportAtRest(dir string, query store.Query, w io.Writer) (store.Exported, error) {
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		return store.Exported{}, explainRead(err, dir)
	}
	defer index.Close()
	if err := tellLacking(dir, index); err != nil {
		return store.Exported{}, err
	}
	total, err := index.Count()
	if err != nil {
		return store.Exported{}, err
	}
	if !selectsAll(query) {
		total = -1
	}
	bar := newBar(total, "captures")
	defer bar.Finish()
	exported, err := index.Export(w, query, func(lines int64) { bar.Set64(lines) })
	return exported, explainRead(err, dir)
}

// tellLacking says what the index does not know, since the last recorder did not come to its end,
// or had no time to write what lay on disk.
func tellLacking(dir string, index *store.Bolt) error {
	n, err := unindexed(dir, index)
	if err != nil {
		return err
	}
	if n > 0 {
		fmt.Fprintf(
			os.Stderr,
			"the last %s of the WARC files are not in the index, since whoever wrote them did not come to an end: "+
				"warcorder recover reads them\n",
			humanize.Bytes(uint64(n)),
		)
	}
	if left := recorder.Left(dir); left > 0 {
		fmt.Fprintf(os.Stderr, "%s with large bodies still in spill/, and not in the index: "+
			"the next recording, or warcorder recover, puts what is there into WARC files\n", count(left, "exchange"))
	}
	return nil
}

// unindexed returns how many bytes of files that are not finished the index does not know: nobody
// has looked at them since their recorder died.
func unindexed(dir string, index *store.Bolt) (n int64, err error) {
	files, err := index.Files()
	for _, f := range files {
		if f.Sealed {
			continue
		}
		for _, suffix := range []string{"", warc.OpenSuffix} {
			if info, err := os.Stat(filepath.Join(dir, "archive", f.Name+suffix)); err == nil {
				n += max(0, info.Size()-f.Committed)
			}
		}
	}
	return n, err
}

// selectsAll reports whether a query gives a line for every capture.
func selectsAll(q store.Query) bool {
	return q.URL == "" && q.From == "" && q.To == "" && (q.Key == "" || q.Key == store.URLKey)
}

// newBar is a progress bar on a terminal, and nothing elsewhere. total is -1 if it is not known.
func newBar(total int64, what string, more ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(term.IsTerminal(int(os.Stderr.Fd()))),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	}, more...)...)
}

// The trailer fields of /export say what Exported says.
const (
	totalField = "Warcorder-Captures" // in the header: how many there are at most, for a progress bar
	linesField = "Warcorder-Lines"
	openField  = "Warcorder-In-Open-Files"

	bodiesField = "Warcorder-Request-Bodies" // in the header: noBodies when they are left out
	noBodies    = "none"
)

// errBrokeOff says that a recorder has not come to the end of its answer: it ended.
var errBrokeOff = errors.New("the recorder's answer broke off")

// errNobodyAnswers says that who has the collection open cannot be asked, or does not listen yet.
var errNobodyAnswers = errors.New("who has the index open cannot be asked")

// unanswered is errNobodyAnswers for people.
func unanswered(dir string) error {
	return fmt.Errorf("the index is in use by %s, which cannot be asked: wait until it has ended",
		holders(dir))
}

// exportFromRecorder asks the recorder that has the collection open.
func exportFromRecorder(dir string, query store.Query, w io.Writer) (store.Exported, error) {
	var exported store.Exported
	bodies := ""
	if query.NoBodies {
		bodies = noBodies
	}
	res, err := askRecorder(dir, "/export", url.Values{
		"url": {query.URL}, "match": {string(query.Match)}, "from": {query.From}, "to": {query.To},
		"key": {string(query.Key)}, "dialect": {string(query.Dialect)}, "bodies": {bodies}})
	if err != nil {
		return exported, err
	}
	defer res.Body.Close()
	if query.NoBodies && res.Header.Get(bodiesField) != noBodies {
		return exported, errors.New(
			"the recorder is of an older version, which cannot leave request bodies out: export when it has ended")
	}
	total := int64(-1)
	fmt.Sscan(res.Header.Get(totalField), &total)
	bar := newBar(total, "captures")
	defer bar.Finish()
	body := lineCounter{r: res.Body, bar: bar}
	switch _, err := io.Copy(w, &body); {
	case body.err != nil && !errors.Is(body.err, ask.ErrSilent):
		return exported, fmt.Errorf("%w: %w", errBrokeOff, err)
	case err != nil:
		return exported, err
	}
	fmt.Sscan(res.Trailer.Get(linesField), &exported.Lines)
	fmt.Sscan(res.Trailer.Get(openField), &exported.InOpenFiles)
	return exported, nil
}

// askRecorder asks the recorder that has a collection open for one of its pages. An answer other
// than 200 is an error.
func askRecorder(dir, path string, query url.Values) (*http.Response, error) {
	who, running := runningRecorder(dir)
	if !running {
		return nil, errNobodyAnswers
	}
	res, err := ask.Recorder{PID: who.PID, Address: who.Addresses[0]}.Get(path, query)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w (%w)", errNobodyAnswers, err)
	}
	return res, err
}

// lineCounter moves the bar as lines are read, and keeps the error of whom they are read from.
type lineCounter struct {
	r   io.Reader
	bar *progressbar.ProgressBar
	err error // of r
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if err != io.EOF {
		l.err = err
	}
	l.bar.Add(strings.Count(string(p[:n]), "\n"))
	return n, err
}

// forProcess answers those who mean this process, or do not say which one: after a crash
// recorder.json can name an address that is another recorder's now.
func forProcess(pid int, page http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if meant := r.URL.Query().Get("pid"); meant != "" && meant != fmt.Sprint(pid) {
			http.Error(w, "This is the recorder of another collection.", http.StatusConflict)
			return
		}
		page(w, r)
	})
}

// exportPage streams the lines of a running recorder's index. An error in the middle breaks the
// answer off, so that nobody takes a part for the whole.
func exportPage(indexOf func() *store.Bolt) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		form := r.URL.Query()
		query := store.Query{
			URL:      form.Get("url"),
			Match:    store.Match(form.Get("match")),
			From:     form.Get("from"),
			To:       form.Get("to"),
			Key:      store.Key(form.Get("key")),
			Dialect:  canon.Dialect(form.Get("dialect")),
			NoBodies: form.Get("bodies") == noBodies,
		}
		if err := query.Check(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		index := indexOf()
		if selectsAll(query) {
			if total, err := index.Count(); err == nil {
				w.Header().Set(totalField, fmt.Sprint(total))
			}
		}
		if query.NoBodies {
			w.Header().Set(bodiesField, noBodies)
		}
		w.Header().Set("Content-Type", "text/x-cdxj")
		w.Header().Set("Trailer", linesField+", "+openField)
		http.NewResponseController(w).Flush() // lines that must be sorted first may take a while
		exported, err := index.Export(w, query, nil)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set(linesField, fmt.Sprint(exported.Lines))
		w.Header().Set(openField, fmt.Sprint(exported.InOpenFiles))
	}
}

// writeAtomically writes a file of that mode beside path and renames it when it is whole and on
// disk. What is there and no regular file, a pipe or a device, is written to as it is.
func writeAtomically(path string, mode os.FileMode, write func(io.Writer) error) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if is := reserved(path); is != "" {
		return fmt.Errorf("%s has the name of %s, which would be lost: name another file", path, is)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	out := bufio.NewWriterSize(f, 1<<20)
	if err := write(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// reserved says what of a collection a path has the name of, if it has one.
func reserved(path string) string {
	switch {
	case isWARC(path):
		return "a WARC file"
	case strings.HasPrefix(filepath.Base(path), "index.bolt"): // or one that was set aside
		return "the index of a collection"
	}
	return ""
}

// isWARC reports whether a path has the name of a WARC file, finished or not.
func isWARC(path string) bool {
	name := strings.TrimSuffix(path, warc.OpenSuffix)
	return slices.ContainsFunc(warc.Suffixes(),
		func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// --- lookup, key

type lookupCommand struct {
	collectionFlags
	Profiles recorder.ProfileRules `name:"keys-profiles" help:"Path profiles, from the configuration file." hidden:"" type:"rules"`
	By       store.Key             `name:"key" help:"Key to find by: url, or one that --keys-extra had stored: path, wwwoffle, form." enum:"url,path,wwwoffle,form" default:"url"`
	requestFlags
	URL string `arg:"" help:"The URL, in any spelling that has the same key."`
}

// requestFlags are what a key is made of beside the URL.
type requestFlags struct {
	Method      string `help:"Method of the request." default:"GET"`
	ContentType string `help:"Content-Type of the request's body." placeholder:"TYPE"`
	Body        string `help:"File with the request's body, - for standard input." placeholder:"FILE"`
}

// request returns the request that the flags describe.
func (f *requestFlags) request(url string) (*canon.Request, error) {
	r := &canon.Request{URL: url, Method: f.Method, ContentType: f.ContentType}
	var err error
	switch f.Body {
	case "":
	case "-":
		r.Body, err = io.ReadAll(os.Stdin)
	default:
		r.Body, err = os.ReadFile(f.Body)
	}
	return r, err
}

// Run prints the lines of the captures, also of a collection that is being recorded.
func (c *lookupCommand) Run(*commandLine) error {
	dir, err := c.path()
	if err != nil {
		return err
	}
	if c.URL == "" {
		return errors.New("lookup: the URL is empty")
	}
	request, err := c.request(recorder.TargetURI(c.URL)) // as it would have been recorded
	if err != nil {
		return err
	}
	query := store.Query{Key: c.By, URL: canon.Pywb.Keys(request).URL}
	if c.By != store.URLKey {
		keyer, err := recorder.NewKeyer(recorder.KeysConfig{Profiles: c.Profiles})
		if err != nil {
			return err
		}
		query.URL = keyer.Of(c.By, c.URL)
		if c.By == store.FormKey && len(request.Body) > 0 {
			query.URL = canon.FormKey(string(request.Body))
		}
	}
	if query.URL == "" { // which would select everything
		return fmt.Errorf("lookup: %s has no key %s", c.URL, c.By)
	}
	exported, err := export(dir, query, os.Stdout)
	if err == nil && exported.Lines == 0 {
		fmt.Fprintf(os.Stderr, "no capture has the %s key %s\n", c.By, query.URL)
	}
	return err
}

type keyCommand struct {
	URL string `arg:"" optional:"" help:"The URL."`
	requestFlags
	Dialect canon.Dialect `help:"How method and body become part of the key: pywb, spec, warciojs." default:"pywb"`
	Profile string        `help:"Profile that the path is written under: generic, mediawiki, restbase, upload." default:"generic"`
	JSONL   bool          `name:"jsonl" help:"Read requests as JSON, one a line, from standard input, and write their keys in the same way."`
}

// Run prints the keys of one request, each with its name, or those of all requests on standard
// input.
func (c *keyCommand) Run(*commandLine) error {
	if c.JSONL {
		return vector.Run(os.Stdin, os.Stdout)
	}
	if c.URL == "" {
		return errors.New("key: give a URL, or --jsonl")
	}
	request, err := c.request(c.URL)
	if err != nil {
		return err
	}
	keys, err := vector.Of(
		&vector.Request{URL: vector.Text(c.URL), Method: c.Method, ContentType: c.ContentType,
			Body: request.Body, Dialect: c.Dialect, Profile: c.Profile},
	)
	if err != nil {
		return err
	}
	for _, line := range [][2]string{
		{"urlkey", string(keys.URLKey)}, {"url", string(keys.URL)}, {"request_body", string(keys.RequestBody)}, {"surt", string(keys.SURT)},
		{"path", string(keys.Path)}, {"wwwoffle", string(keys.WWWOFFLE)}, {"wwwoffle_userinfo", string(keys.WWWOFFLEUserinfo)},
		{"form", keys.Form.Canonical},
	} {
		fmt.Printf("%s\t%s\n", line[0], line[1])
	}
	return nil
}

// --- gaps

type gapsCommand struct {
	collectionFlags
	Reason string `help:"Only gaps of this reason: ${reasons}." placeholder:"REASON" enum:",${reasons}" default:""`
	Limit  int    `short:"n" help:"How many to list, the newest; 0 is all that are kept." default:"100"`
	JSON   bool   `name:"json" help:"Print them as JSON."`
}

// Run prints what is missing, also of a collection that is being recorded.
func (c *gapsCommand) Run(*commandLine) error {
	dir, err := c.path()
	if err != nil {
		return err
	}
	gaps, err := gapsOf(dir)
	if err != nil {
		return fmt.Errorf("gaps: %w", err)
	}
	if c.Reason != "" {
		gaps.Latest = slices.DeleteFunc(gaps.Latest,
			func(g store.Gap) bool { return g.Reason != c.Reason })
		maps.DeleteFunc(gaps.Counts, func(reason string, _ int64) bool { return reason != c.Reason })
	}
	if c.Limit > 0 && len(gaps.Latest) > c.Limit {
		gaps.Latest = gaps.Latest[:c.Limit]
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(gaps)
	}
	for _, g := range slices.Backward(gaps.Latest) {
		fmt.Printf("%s\t%s\t%s\t%s\n", g.Time.UTC().Format(time.RFC3339), g.Reason, printable(g.URL),
			printable(gapDetail(g)))
	}
	for _, reason := range slices.Sorted(maps.Keys(gaps.Counts)) {
		fmt.Fprintf(os.Stderr, "%8d %s\n", gaps.Counts[reason], reason)
	}
	return nil
}

// gapDetail is what a gap says in words, until when included.
func gapDetail(g store.Gap) string {
	if g.Until.IsZero() {
		return g.Detail
	}
	return "until " + g.Until.UTC().Format(time.RFC3339) + ": " + g.Detail
}

// printable keeps what came from outside from moving the cursor of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// gapsOf reads the gaps from the index, or from the recorder that has it open.
func gapsOf(dir string) (gaps store.Gaps, err error) {
	for until := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		gaps, err = gapsAtRest(dir)
		if errors.Is(err, store.ErrLocked) {
			gaps, err = gapsOfRecorder(dir)
		}
		switch {
		case !errors.Is(err, errNobodyAnswers):
			return gaps, err
		case time.Now().After(until):
			return gaps, unanswered(dir)
		}
	}
}

func gapsAtRest(dir string) (store.Gaps, error) {
	index, err := store.OpenReadOnly(filepath.Join(dir, "index.bolt"))
	if err != nil {
		return store.Gaps{}, explainRead(err, dir)
	}
	defer index.Close()
	if last, err := index.Session(); err == nil && last.Open {
		fmt.Fprintln(os.Stderr,
			"the last recorder did not come to its end: the next recording, or warcorder recover, notes "+
				"here what that cost")
	}
	gaps, err := index.Gaps(0)
	return gaps, explainRead(err, dir)
}

func gapsOfRecorder(dir string) (gaps store.Gaps, err error) {
	res, err := askRecorder(dir, "/gaps", nil)
	if err != nil {
		return gaps, err
	}
	defer res.Body.Close()
	return gaps, json.NewDecoder(res.Body).Decode(&gaps)
}

// gapsPage is the gap list of a running recorder; limit=N gives only the newest.
func gapsPage(rec *recorder.Recorder) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limit, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("limit"), "0"))
		if err != nil || limit < 0 {
			http.Error(w, "limit is not a number.", http.StatusBadRequest)
			return
		}
		gaps, err := rec.Gaps(limit)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.Encode(gaps)
	}
}

// --- recover, rebuild

// recoverCommand writes WARC files too, of what a crash has left in spill/: as a recording would.
type recoverCommand struct {
	collectionFlags
	Recorder recorder.Config `embed:""`
}

// Run recovers.
func (c *recoverCommand) Run(line *commandLine) error {
	return c.repair(line, c.Recorder, recorder.Recover)
}

// repairFlags say which collection a command works on, and what its index holds.
type repairFlags struct {
	collectionFlags
	Dedup recorder.DedupConfig `embed:""`
	Keys  recorder.KeysConfig  `embed:"" prefix:"keys-"`
	Mode  recorder.Mode        `name:"archive-mode" help:"Who may read and write the files that are made; octal." default:"0600"`
}

type rebuildCommand struct{ repairFlags }

// Run rebuilds.
func (c *rebuildCommand) Run(line *commandLine) error {
	return c.repair(line, recorder.Config{Dedup: c.Dedup, Keys: c.Keys, Mode: c.Mode},
		recorder.Rebuild)
}

// repair runs one of the two, and says what it found. Whatever is missing in the archive makes the
// exit status 1.
func (f *collectionFlags) repair(line *commandLine, cfg recorder.Config,
	work func(recorder.Config, string, zerolog.Logger, recorder.Progress) (recorder.Recovered, error)) error {
	dir, err := f.path()
	if err != nil {
		return err
	}
	log, _ := line.logger(os.Stderr)
	var found recorder.Recovered
	err = whenFree(dir, func() (err error) {
		found, err = work(cfg, dir, log, newProgress(os.Stderr))
		return err
	})
	if errors.Is(err, recorder.ErrNoCollection) {
		return fmt.Errorf("%w: name a collection with --collection and --dir", err)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s read, %s put into the index\n", count(found.Files, "file"),
		count(found.Captures, "capture"))
	if s := found.Spilled; s != (recorder.Spilled{}) {
		fmt.Printf(
			"%s recorded that lay in spill/, %d of them cut; %d cannot be written now, %d cannot be read\n",
			count(s.Whole+s.Cut, "exchange"), s.Cut, s.Left, s.Broken)
	}
	if found.Replaced != "" {
		fmt.Printf("the old index is now %s\n", found.Replaced)
	}
	if found.Cut > 0 {
		fmt.Printf("%s of no whole exchange were cut off; copies: %s\n", count(int(found.Cut), "byte"),
			strings.Join(found.Torn, ", "))
	}
	for _, d := range found.Damaged {
		fmt.Printf("%s: %s at offset %d %s: %v\n", d.File, count(int(d.Bytes), "byte"), d.Offset, fate(d),
			d.Reason)
	}
	remedy := "put it back into archive/, or let warcorder rebuild make an index without it"
	if found.Rebuilt {
		remedy = "the new index is without it; to have it again put it back into archive/ and let " +
			"warcorder recover run"
	}
	for _, name := range found.Missing {
		fmt.Printf("%s is missing: %s\n", name, remedy)
	}
	for _, name := range found.Short {
		fmt.Printf("%s is shorter than the index says: %s\n", name, remedy)
	}
	for _, name := range found.Left {
		fmt.Printf(
			"%s has a name that it should not keep, and nothing was removed: see the log, take one of the "+
				"names away, and let warcorder recover run\n",
			name)
	}
	n := len(found.Damaged) + len(found.Missing) + len(found.Short) + len(found.Left)
	if n += found.Spilled.Left + found.Spilled.Broken; n > 0 {
		return fmt.Errorf("the archive is not whole: %s, see above", count(n, "finding"))
	}
	return nil
}

// add adds WARC files to the index of a collection.
func (c *repairFlags) add(dir string, paths []string, copies bool, log zerolog.Logger,
	progress recorder.Progress) (files []recorder.Indexed, err error) {
	err = whenFree(dir, func() (err error) {
		files, err = recorder.Index(recorder.Config{Dedup: c.Dedup, Keys: c.Keys, Mode: c.Mode}, dir,
			paths, copies, log, progress)
		return err
	})
	return files, err
}

// --- verify

type verifyCommand struct {
	collectionFlags
	JSON  bool     `name:"json" help:"Print JSON lines: one for each finding, then one with the summary."`
	Files []string `arg:"" optional:"" name:"file" help:"WARC files of any tool. Default: all files of the collection, and its index."`
}

// Run prints what is wrong, and what has been checked. Any finding that is no note makes the exit
// status 1.
func (c *verifyCommand) Run(*commandLine) error {
	var bar *progressbar.ProgressBar
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	checker := verify.Checker{
		Report: func(f verify.Finding) {
			if bar != nil {
				bar.Clear()
			}
			if c.JSON {
				out.Encode(f)
			} else {
				fmt.Println(findingLine(f))
			}
		},
		Progress: func(file string, done, total int64) {
			if bar == nil || bar.GetMax64() != total { // of the index, then of the files
				bar = newBar(total, file, progressbar.OptionShowBytes(true))
			}
			bar.Describe(file)
			bar.Set64(done)
		},
	}
	found, err := c.check(&checker)
	if bar != nil {
		bar.Finish()
	}
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if c.JSON {
		err = out.Encode(map[string]verify.Summary{"summary": found})
	} else {
		printVerified(found)
	}
	if found.Findings > 0 {
		return errors.Join(err,
			fmt.Errorf("not all is as it must be: %s, see above", count(int(found.Findings), "finding")))
	}
	return err
}

// check checks the files that were named, or the collection.
func (c *verifyCommand) check(checker *verify.Checker) (verify.Summary, error) {
	if len(c.Files) > 0 {
		return checker.Files(c.Files)
	}
	dir, err := c.path()
	if err != nil {
		return verify.Summary{}, err
	}
	found, err := checker.Collection(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: name a collection with --collection and --dir, or files", err)
	}
	return found, err
}

// findingLine is a finding as people read it.
func findingLine(f verify.Finding) string {
	line := fmt.Sprintf("%s:%d: ", printable(f.File), f.Offset)
	if f.Note {
		line += "note: "
	}
	line += printable(f.Text)
	if f.RecordID != "" {
		line += " [" + printable(f.RecordID) + "]"
	}
	if f.More > 0 {
		line += fmt.Sprintf(" (and %s more like this in this file)", humanize.Comma(f.More))
	}
	return line
}

// printVerified prints what has been checked.
func printVerified(found verify.Summary) {
	var records int64
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(found.Records)) {
		records += found.Records[kind]
		kinds = append(kinds, fmt.Sprintf("%s %s", humanize.Comma(found.Records[kind]), printable(kind)))
	}
	fmt.Printf("%s, %s: %s", count(found.Files, "file"), humanize.Bytes(uint64(found.Bytes)),
		count(int(records), "whole record"))
	if len(kinds) > 0 {
		fmt.Printf(" (%s)", strings.Join(kinds, ", "))
	}
	d := found.Digests
	fmt.Printf("\n%s and %s are right", count(int(d.Block), "block digest"),
		count(int(d.Wire+d.Entity+d.Both), "payload digest"))
	if d.Wire+d.Entity > 0 {
		fmt.Printf("; of chunked payloads %s as stored, %s without the chunks", humanize.Comma(d.Wire),
			humanize.Comma(d.Entity))
	}
	fmt.Println()
	if found.Indexed {
		fmt.Printf("%s of the index compared\n", count(int(found.Captures), "capture"))
	}
	fmt.Printf("%s, %s\n", count(int(found.Findings), "finding"), count(int(found.Notes), "note"))
}

// --- index

type indexCommand struct {
	repairFlags
	Copy  bool     `help:"Copy a file into the collection that cannot be linked there, one on another disk for example."`
	Files []string `arg:"" name:"file" help:"WARC files of any tool: .warc, .warc.gz, .warc.zst."`
}

// Run adds the files, and says what was found in each. What could not be indexed makes the exit
// status 1.
func (c *indexCommand) Run(line *commandLine) error {
	dir, err := c.path()
	if err != nil {
		return err
	}
	log, _ := line.logger(os.Stderr)
	files, err := c.add(dir, c.Files, c.Copy, log, newProgress(os.Stderr))
	if err != nil {
		return err
	}
	findings := reportIndexed(files)
	if findings > 0 {
		return fmt.Errorf("not all could be indexed: %s, see above", count(findings, "finding"))
	}
	return nil
}

// reportIndexed says what was found in each file, and returns how many places could not be indexed.
func reportIndexed(files []recorder.Indexed) int {
	findings := 0
	for _, f := range files {
		switch {
		case f.Known:
			fmt.Printf("%s: is in the index already\n", f.Name)
		case f.Copied:
			fmt.Printf("%s: copied, %s\n", f.Name, count(f.Captures, "capture"))
		default:
			fmt.Printf("%s: %s\n", f.Name, count(f.Captures, "capture"))
		}
		for _, d := range f.Damaged {
			fmt.Printf("%s:%d: %s %s: %v\n", f.Name, d.Offset, count(int(d.Bytes), "byte"), fate(d),
				d.Reason)
		}
		findings += len(f.Damaged)
	}
	return findings
}

// fate is what became of a damaged place.
func fate(d recorder.Damaged) string {
	if d.Kept {
		return "indexed"
	}
	return "passed over"
}

// --- import and export of WARC 0.9

type importCommand struct {
	repairFlags
	From  string   `name:"from-format" help:"Format of the files: 0.9, the draft of 2006." enum:"0.9" required:""`
	Files []string `arg:"" name:"file" help:"Files to import; segments of one record may lie in several of them."`
}

// Run converts the files to WARC 1.1 and adds them to the collection. The files themselves stay as
// they are.
func (c *importCommand) Run(line *commandLine) (err error) {
	dir, err := c.path()
	if err != nil {
		return err
	}
	log, _ := line.logger(os.Stderr)
	if _, err := c.add(dir, nil, false, log, nil); err != nil {
		return err // before the work is done
	}
	findings := 0
	work, err := conversion.New(dir, c.Mode.Set, func(f v09.Finding) {
		findings++
		fmt.Println(printable(f.String()))
	}, alive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, work.Remove()) }()
	made, err := work.Run(c.Files)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	files, err := c.add(dir, made, false, log, newProgress(os.Stderr))
	if err != nil {
		return err
	}
	findings += reportIndexed(files)
	for _, same := range work.Same() {
		fmt.Printf("%s: holds the same as %s\n", printable(same[0]), same[1])
	}
	if findings > 0 {
		return fmt.Errorf("not all could be imported as it is: %s, see above", count(findings, "finding"))
	}
	return nil
}

// exportOld writes the finished WARC files of the collection as WARC 0.9.
func (c *exportCommand) exportOld(dir string) error {
	archive := filepath.Join(dir, "archive")
	switch {
	case c.Out == "" || c.Out == "-":
		return errors.New("export: name the directory for the WARC 0.9 files with -o DIR")
	case c.URL != "" || c.From != "" || c.To != "" || c.By != store.URLKey || c.As != canon.Pywb || c.NoBodies:
		return errors.New(
			"export: --format warc-0.9 writes all records as they are: leave --url, --from, --to, --key, " +
				"--dialect and --no-request-bodies out")
	}
	if err := warc.MakeDir(c.Out, 0o755); err != nil {
		return err
	}
	if same, err := sameDir(c.Out, archive); err != nil {
		return fmt.Errorf("export: %w", err)
	} else if same {
		return fmt.Errorf("export: %s is the archive itself: name another directory with -o", c.Out)
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	w := &v09.Writer{
		Dir:    c.Out,
		Prefix: filepath.Base(dir),
		Host:   host,
		Target: c.FileSize,
		Temp:   c.Out,
		Made:   c.Mode.Set,
	}
	damaged, err := exportFiles(w, archive)
	if err != nil {
		return errors.Join(fmt.Errorf("export: %w", err), w.Abandon())
	}
	if err := w.Close(); err != nil || damaged == 0 {
		return err
	}
	return fmt.Errorf("export: %s passed over, see above", count(damaged, "damaged place"))
}

// sameDir reports whether two paths lead to the same directory.
func sameDir(path, other string) (bool, error) {
	a, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b), err
}

// exportFiles writes the records of all finished files of an archive. It returns how many damaged
// places it has passed over.
func exportFiles(w *v09.Writer, archive string) (damaged int, err error) {
	entries, err := os.ReadDir(archive)
	if err != nil {
		return 0, err
	}
	open := 0
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, warc.OpenSuffix) {
			open++
		}
		if !slices.ContainsFunc(
			warc.Suffixes(),
			func(suffix string) bool { return strings.HasSuffix(name, suffix) },
		) {
			continue
		}
		n, err := exportFile(w, filepath.Join(archive, name))
		if err != nil {
			return damaged, err
		}
		damaged += n
	}
	if open > 0 {
		fmt.Fprintf(os.Stderr, "%s left out: still being written, or not recovered after a crash\n",
			count(open, "file"))
	}
	return damaged, nil
}

// exportFile writes the records of a file, and steps over what is damaged in it.
func exportFile(w *v09.Writer, path string) (damaged int, err error) {
	r, err := warc.OpenForeign(path, 0)
	if errors.As(err, new(*warc.Damage)) {
		fmt.Println(printable(err.Error()))
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		err := w.Export(r)
		if !errors.As(err, new(*warc.Damage)) {
			return damaged, err
		}
		damaged++
		fmt.Println(printable(err.Error()))
		if _, _, err := r.Resync(); errors.Is(err, io.EOF) {
			return damaged, nil
		} else if err != nil {
			return damaged, err
		}
	}
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return humanize.Comma(int64(n)) + " " + thing + "s"
}

// newProgress is a bar of bytes that appears with the first file.
func newProgress(out io.Writer) recorder.Progress {
	var bar *progressbar.ProgressBar
	return func(file string, done, total int64) {
		if bar == nil || bar.GetMax64() != total {
			bar = newBar(total, file, progressbar.OptionShowBytes(true), progressbar.OptionSetWriter(out))
		}
		bar.Describe(file)
		bar.Set64(done)
		if done == total {
			bar.Finish()
		}
	}
}

// --- ca, version

type caCommand struct {
	Out  string `help:"Directory to write the certificate to as PEM, DER and PKCS#12; without its key." placeholder:"DIR" type:"path"`
	SPKI bool   `name:"spki" help:"Print the hash of the public key, for Chromium's --ignore-certificate-errors-spki-list."`
}

// Run prints or writes the root certificate, which is made if there is none yet.
func (c *caCommand) Run(line *commandLine) error {
	authority, err := line.authority()
	if err != nil {
		return err
	}
	switch {
	case c.SPKI:
		cert, err := x509.ParseCertificate(authority.DER())
		if err != nil {
			return err
		}
		sum := sha256.Sum256(cert.RawSubjectPublicKeyInfo)
		fmt.Println(base64.StdEncoding.EncodeToString(sum[:]))
	case c.Out != "":
		files, err := authority.Export(c.Out)
		if err != nil {
			return err
		}
		fmt.Println(strings.Join(files, "\n"))
	default:
		os.Stdout.Write(authority.PEM())
	}
	return nil
}

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
