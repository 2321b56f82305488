package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"

	"warcorder/certs"
)

// configCommand says whether record would take its settings, or which they are. It takes all that
// record takes, so that it can stand in its place in any command line.
type configCommand struct {
	What    string `arg:"" enum:"check,show"`
	JSON    bool   `name:"json"`
	Changed bool
	Running bool
	recordCommand
}

// Run shows the settings. What check says is said before, by checkConfig.
func (c *configCommand) Run(ctx *kong.Context, line *commandLine) error {
	if c.Running {
		return c.showRunning()
	}
	return c.print(settingsOf(ctx, line.file))
}

// isCheck reports a command line that asks for a check, also one that is wrong.
func isCheck(ctx *kong.Context) bool {
	if ctx == nil || ctx.Selected() == nil || ctx.Selected().Name != "config" {
		return false
	}
	return slices.ContainsFunc(ctx.Path, func(step *kong.Path) bool {
		return step.Positional != nil && ctx.Value(step).String() == "check"
	})
}

// contextOf is how far a command line was read; nil if that is not known.
func contextOf(ctx *kong.Context, err error) *kong.Context {
	var parsing *kong.ParseError
	if ctx == nil && errors.As(err, &parsing) {
		return parsing.Context
	}
	return ctx
}

// checkConfig says all that is wrong with the settings, or in one line that nothing is. It makes
// nothing, takes no port and opens no collection. read is what came of the command line.
func (line *commandLine) checkConfig(ctx *kong.Context, args []string, read error) error {
	c := &line.Settings
	wrong := line.wrongSettings(ctx, args, read)
	if read == nil {
		if c.JSON || c.Changed || c.Running {
			wrong = append(wrong, errors.New("config check has nothing to show: --json, --changed and "+
				"--running are of config show"))
		}
		log, _ := line.logger(os.Stderr)
		wrong = append(wrong, c.problems(line, log.Level(zerolog.WarnLevel))...)
	}
	for _, one := range distinct(wrong) {
		fmt.Fprintln(os.Stderr, "warcorder:", one)
	}
	if len(wrong) > 0 {
		return errSaid
	}
	_, err := fmt.Println(soundness(settingsOf(ctx, line.file), string(line.Config)))
	return err
}

// distinct are the texts of errors, each once.
func distinct(wrong []error) (texts []string) {
	for _, one := range wrong {
		if text := one.Error(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// soundness says that the settings are good, and how many are set where.
func soundness(all []shown, file string) string {
	from := map[string]int{}
	for _, one := range all {
		from[one.Source]++
	}
	text := cmp.Or(printable(file), "the configuration") + " is good: "
	var where []string
	for _, source := range []struct{ name, words string }{
		{fromFile, "%d in the file"}, {fromVariable, "%d by variables"}, {fromFlag, "%d by flags"},
	} {
		if n := from[source.name]; n > 0 {
			where = append(where, fmt.Sprintf(source.words, n))
		}
	}
	if len(where) == 0 {
		return text + "no key is set"
	}
	return text + "keys set, of " + strconv.Itoa(len(all)) + ": " + strings.Join(where, ", ")
}

// problems are what record refuses in settings that can be read, before it opens or makes anything. What
// it would warn of goes to the log.
func (c *configCommand) problems(line *commandLine, log zerolog.Logger) (wrong []error) {
	c.prepare()
	dir, err := c.dir()
	if err == nil {
		err = dir.CheckNew()
	}
	cfg := c.Recorder.config()
	wrong = append(c.checks(), err, cfg.Check())
	if c.Feeds.check() == nil {
		wrong = append(wrong, c.Feeds.checkIn(dir))
	}
	where := c.addresses()
	wrong = append(wrong, c.checkDedupFrom(where...))
	if len(where) > 0 { // else there is no address yet that could be a way out
		proxied := c.Proxy.config()
		wrong = append(wrong, waysOut(&proxied, where[0], log))
	}
	c.advise(&c.front, log)
	authority, err := line.authorityThere()
	if authority != nil {
		remarkOn(authority, log)
	}
	return slices.DeleteFunc(append(wrong, err), func(err error) bool { return err == nil })
}

// addresses are where a recorder would listen, that of the proxy first; without those that are free
// ports, or that cannot be read.
func (c *recordFlags) addresses() (all []net.Addr) {
	for _, l := range []*listening{&c.front, c.second, &c.previews, &c.debug} {
		if l != nil && l.at.IsValid() && l.at.Port() != 0 {
			all = append(all, net.TCPAddrFromAddrPort(l.at))
		}
	}
	return all
}

// authorityThere loads the root certificate, if it is there already: it is no error if it is still to
// be made.
func (line *commandLine) authorityThere() (*certs.Authority, error) {
	if line.CACert == "" && line.CAKey == "" {
		dir, err := line.caDir()
		if err != nil || !certs.IsThere(dir) {
			return nil, err
		}
	}
	return line.authority()
}
