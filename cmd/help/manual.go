package help

import "github.com/alecthomas/kong"

// Typed is a flag as it is typed: -n, --limit=NUMBER.
func Typed(flag *kong.Flag) string { return asTyped(flag) }

// Default is what a flag has when nobody sets it, as --help-all says it; "" if that is not said.
func Default(flag *kong.Flag) string {
	if !hasDefault(flag) {
		return ""
	}
	return flag.Default
}

// UsageOf is the command line of a command in one line.
func (c Command) UsageOf(node *kong.Node) string { return c.usage(node) }

// GeneralTitle is the title of the flags that most commands have.
const GeneralTitle = "General"
