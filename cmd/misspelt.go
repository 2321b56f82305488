package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// variablePrefix begins the names of the variables that are settings.
const variablePrefix = "WARCORDER_"

// checkVariables refuses variables that begin like settings and are none of any command: whoever
// has misspelt one must not believe that it counts. The values are never shown.
func checkVariables(app *kong.Application, environment []string) error {
	return errors.Join(wrongVariables(app, environment)...)
}

// wrongVariables are the errors of such variables.
func wrongVariables(app *kong.Application, environment []string) (wrong []error) {
	known := map[string]bool{}
	for _, node := range append(app.Children, app.Node) {
		for _, flag := range node.Flags {
			for _, name := range flag.Envs {
				known[name] = true
			}
		}
	}
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if runtime.GOOS == "windows" { // where case does not matter
			name = strings.ToUpper(name)
		}
		rest, ours := strings.CutPrefix(name, variablePrefix)
		if !ours || known[name] || isServiceLink(rest) {
			continue
		}
		advice := cmp.Or(meant(name, "", slices.Collect(maps.Keys(known))),
			": unset it; warcorder record --help-all has those of record")
		wrong = append(wrong, fmt.Errorf("the variable %s sets nothing%s", shortened(name), advice))
	}
	return wrong
}

// isServiceLink reports whether a variable is one that Kubernetes sets in each container beside a
// service whose name begins with warcorder: …SERVICE_HOST, …SERVICE_PORT, …SERVICE_PORT_NAME,
// …PORT, …PORT_8080_TCP, …PORT_8080_TCP_ADDR, _PORT or _PROTO.
func isServiceLink(rest string) bool {
	for _, kind := range []string{"_SERVICE_HOST", "_SERVICE_PORT", "_PORT"} {
		if strings.HasSuffix("_"+rest, kind) {
			return true
		}
	}
	return strings.Contains("_"+rest, "_SERVICE_PORT_") ||
		strings.Contains("_"+rest, "_PORT_") &&
			slices.ContainsFunc([]string{"_TCP", "_UDP", "_SCTP"}, func(protocol string) bool {
				return strings.HasSuffix(rest, protocol) || strings.Contains(rest, protocol+"_")
			})
}

// explainParse is an error of the command line with the help that tells more.
func explainParse(err error, app *kong.Application, args []string) error {
	command := app.Node
	var parsing *kong.ParseError
	if errors.As(err, &parsing) && parsing.Context != nil && parsing.Context.Selected() != nil {
		command = parsing.Context.Selected()
	}
	help := "warcorder " + command.Name + " --help"
	if command == app.Node || command.Name == "record" {
		help = "warcorder record --help-all"
	}
	text := plainer(withoutValues(err.Error()), command.Name)
	word, unexpected := strings.CutPrefix(text, "unexpected argument ")
	flag, unknown := strings.CutPrefix(text, "unknown flag --")
	switch {
	case unexpected && !slices.Contains(args, command.Name):
		text = "there is no command " + shortened(word) + meant(word, "", commandNames(app))
		help = "warcorder --help"
		if strings.Contains(word, "://") {
			text += ": to open it, warcorder browser URL"
		}
	case unknown:
		text = "unknown flag --" + shortened(flag) +
			cmp.Or(owner(app, flag), meant(flag, "--", flagsOf(app, command)))
	}
	return errors.New(text + " (see " + help + ")")
}

// plainer says what kong says of a command in words for people: an argument or a flag that is missing,
// a flag at the end that has no value, a number that begins like a flag, and an enum whose first word is
// the empty one.
func plainer(text, command string) string {
	text, _, _ = strings.Cut(text, ", did you mean")
	if rest, ok := strings.CutPrefix(text, `expected "<`); ok {
		argument, _, _ := strings.Cut(rest, ">")
		if command == "config" {
			return "config needs check or show"
		}
		return command + " needs " + strings.ToUpper(argument)
	}
	if rest, ok := strings.CutPrefix(text, "<what> must be one of "); ok { // of config
		_, got, _ := strings.Cut(rest, " but got ")
		return command + " needs check or show, and not " + got
	}
	if rest, ok := strings.CutPrefix(text, "missing flags: "); ok {
		flag, _, _ := strings.Cut(rest, "=")
		return command + " needs " + flag
	}
	if strings.HasSuffix(text, `but got "EOL" (<EOL>)`) {
		text, _, _ = strings.Cut(text, ": expected ")
		return text + " needs a value"
	}
	if strings.Contains(text, "expected int value") { // none of ours may be negative
		text, _, _ = strings.Cut(text, " (short flag)")
	}
	return strings.Replace(text, ` must be one of "",`, ` must be one of `, 1)
}

// meant asks whether the nearest of the names known is meant, with what is typed before it.
func meant(word, before string, known []string) string {
	if near := nearest(word, known); near != "" {
		return ": did you mean " + before + near + "?"
	}
	return ""
}

func commandNames(app *kong.Application) []string {
	names := []string{"help"}
	for _, command := range app.Children {
		names = append(names, command.Name)
	}
	return names
}

// owner says which command takes a flag that this one does not.
func owner(app *kong.Application, flag string) string {
	for _, command := range app.Children {
		for _, one := range command.Flags {
			if one.Name == flag && !one.Hidden {
				return ": " + command.Name + " has it"
			}
		}
	}
	return ""
}

// flagsOf are the flags that a command takes; without a command, those of record.
func flagsOf(app *kong.Application, command *kong.Node) (names []string) {
	if command == app.Node {
		command = app.DefaultCmd
	}
	for _, flag := range slices.Concat(command.Flags, app.Flags) {
		names = append(names, flag.Name)
	}
	return names
}

// longestName is how much of a name that nobody knows is compared and shown.
const longestName = 64

// shortened is a name as it may be shown.
func shortened(name string) string {
	if len(name) > longestName {
		name = name[:longestName] + "…"
	}
	return printable(name)
}

// nearest returns the one of the names known that word may have been meant for: it takes few
// changes to come from one to the other. "" is none.
func nearest(word string, known []string) (near string) {
	if len(word) > longestName {
		return ""
	}
	least := min(3, 1+len(strings.TrimPrefix(word, variablePrefix))/4)
	slices.Sort(known)
	for _, name := range known {
		if n := distance(word, name); n < least || n == least && near == "" {
			least, near = n, name
		}
	}
	return near
}

// distance is how many letters must be changed, put in, left out, or exchanged with the next one,
// to come from one word to another.
func distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
